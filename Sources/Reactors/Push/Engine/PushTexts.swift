import ParleyWire
import ReadModels

/// What notifications say beside what people wrote, in the languages that there are: another one is a case here.
struct PushTexts {
    /// So many characters of a message are shown.
    private static let bodyLength = 100
    /// A character may consist of any number of scalars, and providers have room for few bytes.
    private static let bodyScalars = 500

    private enum Language {
        case english, german
    }

    private let language: Language

    /// - Parameter locale: as BCP 47 has it; English where it is none of those there are.
    init(locale: String?) {
        let code = locale?.split(separator: "-").first.map { $0.lowercased() }
        language = code == "de" ? .german : .english
    }

    /// The sender; in a group its name, too.
    func title(_ facts: PushFacts, preview: PushPreview, isSummary: Bool) -> String {
        guard preview != .none else { return newMessages(1) }
        let sender = facts.message?.senderName ?? somebody
        guard let group = facts.groupName else { return sender }
        return isSummary ? group : "\(sender) · \(group)"
    }

    /// - Parameters:
    ///   - message: nil for a summary.
    ///   - count: how many messages a summary is of.
    func body(_ message: PushFacts.Message?, count: Int, preview: PushPreview) -> String {
        switch (preview, message) {
        case (.full, let message?): content(message)
        case (.full, nil), (.sender, nil): newMessages(count)
        case (.sender, _): newMessages(1)
        case (.none, _): count > 1 ? newMessages(count) : ""
        }
    }

    private func content(_ message: PushFacts.Message) -> String {
        let text = (message.text ?? "").trimmed
        guard text.isEmpty else { return Self.cut(text) }
        return switch message.files.first {
        case .image?: photo
        case .audio?: voiceMessage
        case nil: newMessages(1)
        default: file
        }
    }

    /// Cut between two characters as people see them.
    private static func cut(_ text: String) -> String {
        var cut = ""
        var scalars = 0
        for (place, character) in text.enumerated() {
            scalars += character.unicodeScalars.count
            guard place < bodyLength, scalars <= bodyScalars else { return cut + "…" }
            cut.append(character)
        }
        return cut
    }

    // MARK: Words

    private var photo: String { language == .german ? "Foto" : "Photo" }
    private var voiceMessage: String { language == .german ? "Sprachnachricht" : "Voice message" }
    private var file: String { language == .german ? "Datei" : "File" }
    private var somebody: String { language == .german ? "Jemand" : "Somebody" }

    private func newMessages(_ count: Int) -> String {
        switch language {
        case .english: count == 1 ? "New message" : "\(count) new messages"
        case .german: count == 1 ? "Neue Nachricht" : "\(count) neue Nachrichten"
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character.isWhitespace }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
