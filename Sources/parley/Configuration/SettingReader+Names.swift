import Foundation

extension SettingReader where Value == [String] {
    private static let most = 1_000
    private static let longest = 100

    /// Names of people.
    static var names: Self {
        Self("names with commas between, at most \(most), each of 1 to \(longest) characters") { text in
            let names = text.split(separator: ",", maxSplits: most).map { $0.trimmingCharacters(in: .whitespaces) }
            let areNames = names.allSatisfy { name in
                (1...longest).contains(name.unicodeScalars.count) && name.contains { $0.isLetter || $0.isNumber }
            }
            return areNames && (1...most).contains(names.count) ? names : nil
        }
    }
}

extension [String] {
    /// As people list words.
    var listed: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + suffix(1).joined()
    }
}
