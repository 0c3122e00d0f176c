/// Who speaks under which name in a log.
struct Speakers: Sendable {
    /// In the order of first words.
    private(set) var numbers: [PersonNumber] = []
    private var byName: [String: PersonNumber] = [:]

    func number(of name: String) -> PersonNumber? { byName[name] }

    mutating func add(_ number: PersonNumber, as name: String) {
        byName[name] = number
        numbers.append(number)
    }

    /// A person goes by another name from here on, unless the name is someone else's.
    mutating func rename(_ name: String, to newName: String) {
        guard let number = byName[name], byName[newName] == nil, !newName.isEmpty else { return }
        byName[newName] = number
    }
}
