import ParleyWire

extension GroupCheck {
    private static let mostSearches = 6

    /// The owner and another member look for words of some messages.
    func checkSearch() async throws {
        let saying = expected.messages.filter { !$0.isDeleted && !SearchCheck.words(of: $0.text).isEmpty }
        let asked = spread(saying, Self.mostSearches)
            .compactMap { SearchCheck.words(of: $0.text).max { ($0.count, $0) < ($1.count, $1) } }.uniqued()
        let owner = group.plan.owner
        let readers = [owner, people(expected.members).last { $0 != owner }].compactMap(\.self)
        for person in readers {
            _ = try await concurrentMap(asked, width: width) { word in
                guard let results = try await search(word, as: person) else { return }
                stage.report.compare(
                    .search,
                    differences: SearchCheck(expected: expected, word: word).differences(of: results),
                    of: "\(name) \(stage.name(person))"
                )
            }
        }
        if let word = asked.last { try await checkSearch(for: word, as: people(expected.formerMembers).last) }
    }

    /// Who has left finds nothing that was said later.
    private func checkSearch(for word: String, as person: PersonNumber?) async throws {
        guard let person, let last = expected.spans[stage.userID(person)]?.last?.toSeq,
            let results = try await search(word, as: person)
        else { return }
        let later = results.compactMap(\.message.seq).filter { $0 > last }
        stage.report.compare(
            .search,
            later.isEmpty,
            "\(name) \(stage.name(person)) has left at \(last), and finds \(later.count) of later"
        )
    }

    private struct Question: Encodable {
        let query: String
        let conversationId: WireID
        let limit: Int
        let cursor: String?
    }

    /// All pages; nil where one failed.
    private func search(_ word: String, as person: PersonNumber) async throws -> [SearchResult]? {
        let account = stage.account(person)
        var results: [SearchResult] = []
        var cursor: String?
        repeat {
            let question = Question(query: word, conversationId: expected.id, limit: 100, cursor: cursor)
            let answer = try await account.send(.post("/v1/search", question))
            guard answer.status == 200 else {
                stage.report.fail(.search, "\(name) \(stage.name(person)): \(answer.summary)")
                return nil
            }
            let page = try answer.decode(ListPage<SearchResult>.self)
            results += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return results
    }
}
