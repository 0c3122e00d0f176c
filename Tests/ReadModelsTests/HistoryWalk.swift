import Foundation
import ParleyWire
import ReadModels
import Testing

/// Reads a whole history in pieces of all sizes, which must be the same history without a hole and without a double.
struct HistoryWalk {
    let queries: Queries
    let conversation: UUID
    let person: UUID

    func expect(_ whole: [Message]) async throws {
        for limit in [1, 2, 7] {
            #expect(try await backwards(limit) == whole, "backwards by \(limit)")
            #expect(try await forwards(limit) == whole, "forwards by \(limit)")
        }
        for (place, message) in whole.enumerated() where place % 5 == 0 {
            let first = max(0, min(place - 2, whole.count - 5))
            let around = try await page(.around(.message(message.id.uuid)), 5)
            #expect(around.items == Array(whole[first...].prefix(5)), "around \(place)")
            #expect(around.page.hasOlder == (first > 0))
            #expect(around.page.hasNewer == (first + 5 < whole.count))
            #expect(try await queries.message(message.id.uuid, in: conversation, for: person) == message)
        }
    }

    private func page(_ anchor: HistoryAnchor, _ limit: Int) async throws -> HistoryPage {
        try #require(try await queries.history(of: conversation, for: person, at: anchor, limit: limit))
    }

    private func backwards(_ limit: Int) async throws -> [Message] {
        var page = try await page(.newest, limit)
        var items = page.items
        #expect(!page.page.hasNewer)
        while page.page.hasOlder {
            page = try await self.page(.before(try #require(page.page.olderCursor)), limit)
            #expect(!page.items.isEmpty && page.page.hasNewer)
            items = page.items + items
        }
        return items
    }

    private func forwards(_ limit: Int) async throws -> [Message] {
        guard var page = try await first(limit) else { return [] }
        var items = page.items
        #expect(!page.page.hasOlder)
        while page.page.hasNewer {
            page = try await self.page(.after(try #require(page.page.newerCursor)), limit)
            #expect(!page.items.isEmpty && page.page.hasOlder)
            items += page.items
        }
        return items
    }

    /// The oldest piece.
    private func first(_ limit: Int) async throws -> HistoryPage? {
        let newest = try await page(.newest, 200)
        guard let oldest = newest.items.first else { return nil }
        var page = try await page(.around(.message(oldest.id.uuid)), limit)
        while page.page.hasOlder { page = try await self.page(.before(try #require(page.page.olderCursor)), limit) }
        return page
    }
}
