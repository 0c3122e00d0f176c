import ParleyWire

extension GroupCheck {
    private static let mostSearches = 6

    /// The owner looks for words of some messages: all messages that have them must be found, each once, and none that is
    /// deleted.
    func checkSearch() async throws {
        let saying = expected.messages.filter { !$0.isDeleted && !words(of: $0.text).isEmpty }
        let asked = spread(saying, Self.mostSearches).compactMap { words(of: $0.text).max { $0.count < $1.count } }
        _ = try await concurrentMap(asked.uniqued(), width: width) { word in
            guard let results = try await search(word) else { return }
            let found = results.map(\.message.id)
            let implied = expected.messages.filter { words(of: $0.text).contains(word) }.map(\.id)
            let missing = Set(implied).subtracting(found)
            let gone = results.filter { $0.message.text == nil || $0.message.deletedAt != nil }
            stage.report.compare(
                .search,
                missing.isEmpty && gone.isEmpty && found.count == Set(found).count,
                "\(name): \(missing.count) of \(implied.count) not found, \(gone.count) deleted, "
                    + "\(found.count - Set(found).count) twice"
            )
        }
    }

    private struct Question: Encodable {
        let query: String
        let conversationId: WireID
        let limit: Int
        let cursor: String?
    }

    /// All pages; nil where one failed.
    private func search(_ word: String) async throws -> [SearchResult]? {
        let owner = stage.account(group.plan.owner)
        var results: [SearchResult] = []
        var cursor: String?
        repeat {
            let question = Question(query: word, conversationId: expected.id, limit: 100, cursor: cursor)
            let answer = try await owner.send(.post("/v1/search", question))
            guard answer.status == 200 else {
                stage.report.fail(.search, "\(name): \(answer.summary)")
                return nil
            }
            let page = try answer.decode(ListPage<SearchResult>.self)
            results += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return results
    }

    /// Those about which no two programs disagree: of four ASCII letters and more.
    private func words(of text: String?) -> Set<String> {
        Set(
            (text ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
                .filter { $0.utf8.count >= 4 && $0.utf8.count <= 40 && $0.utf8.allSatisfy { $0 < 0x80 } }
                .map(String.init)
        )
    }
}
