import ParleyWire

/// Pages through a whole history over HTTP.
struct HistoryReader {
    let account: Account
    let path: String

    /// A history has no more pages than that.
    private static let mostPages = 100_000

    /// All messages, ascending, read from the newest page on; and the oldest page.
    func readBackwards() async throws -> ([Message], HistoryPage) {
        var oldest = try await page("limit=200")
        var pages = [oldest.items]
        while oldest.page.hasOlder, pages.count < Self.mostPages {
            guard let cursor = oldest.page.olderCursor else { throw noCursor("olderCursor") }
            oldest = try await page("limit=200&before=\(cursor.queryEncoded)")
            pages.append(oldest.items)
        }
        return (pages.reversed().flatMap(\.self), oldest)
    }

    /// All messages, ascending, from the oldest page on.
    func readForwards(from oldest: HistoryPage) async throws -> [Message] {
        var items = oldest.items
        var newest = oldest
        var count = 0
        while newest.page.hasNewer, count < Self.mostPages {
            guard let cursor = newest.page.newerCursor else { throw noCursor("newerCursor") }
            newest = try await page("limit=170&after=\(cursor.queryEncoded)")
            items.append(contentsOf: newest.items)
            count += 1
        }
        return items
    }

    private func page(_ query: String) async throws -> HistoryPage {
        let answer = try await account.send(.get("\(path)/messages?\(query)"))
        guard answer.status == 200 else {
            throw APIFailure.unexpected(request: "\(path)/messages", answer: answer.summary)
        }
        return try answer.decode(HistoryPage.self)
    }

    private func noCursor(_ name: String) -> APIFailure {
        APIFailure.unexpected(request: "\(path)/messages", answer: "a page with more to come and no \(name)")
    }
}
