import ParleyWire

/// Whether a search for a word found every message that has it, once and as it is now, and no message from elsewhere.
///
/// It may find more: misspelled words, and parts of words.
struct SearchCheck {
    let expected: ExpectedConversation
    let word: String

    func differences(of results: [SearchResult]) -> [String] {
        var differences: [String] = []
        var times: [WireID: Int] = [:]
        let byID = Dictionary(expected.messages.map { ($0.id, $0) }) { first, _ in first }
        for message in results.map(\.message) {
            times[message.id, default: 0] += 1
            guard message.conversationId == expected.id, let sent = byID[message.id] else {
                differences.append("\(message.id) is found, though nobody sent it here")
                continue
            }
            if message.text == nil || message.deletedAt != nil || sent.isDeleted {
                differences.append("seq \(sent.seq) is found, though deleted")
            } else if !message.text.isIdentical(to: sent.text) {
                differences.append("seq \(sent.seq) is found with other words")
            }
        }
        for (id, count) in times.sorted(by: { $0.key < $1.key }) where count > 1 {
            differences.append("\(id) is found \(count) times")
        }
        for message in expected.messages where times[message.id] == nil && Self.words(of: message.text).contains(word) {
            differences.append("seq \(message.seq) is not found")
        }
        return differences
    }

    /// Those about which no two programs disagree: of four ASCII letters and more.
    static func words(of text: String?) -> Set<String> {
        Set(
            (text ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
                .filter { $0.utf8.count >= 4 && $0.utf8.count <= 40 && $0.utf8.allSatisfy { $0 < 0x80 } }
                .map(String.init)
        )
    }
}
