import Foundation
import Postgres
import TestSupport
import Testing

@testable import ReadModels

@Suite(.database) struct SearchRouteTests {
    private let room = UUID()

    @Test func `what is common is looked for from the newest on, what is rare by the index`() async throws {
        let routes: () async throws -> [SearchRoute] = {
            var routes: [SearchRoute] = []
            for word in ["everywhere", "rare7", "nowhere"] {
                routes.append(try await route(for: [[word]], chunks: 1_200))
            }
            return routes
        }
        try await fill(4_000)
        // Nobody has looked yet at what there is.
        #expect(try await routes() == [.index, .index, .index])
        _ = try await TestDatabase.current.administrator.query("ANALYZE read_live.search_chunks")
        #expect(try await routes() == [.newestFirst, .index, .index])
        #expect(try await route(for: [["everywhere"], ["rare7"]], chunks: 1_200) == .index)
        #expect(try await route(for: [["everywhere", "rare7"]], chunks: 1_200) == .newestFirst)
        // Either is fast among few.
        #expect(try await route(for: [["everywhere"]], chunks: 40) == .index)
    }

    private func route(for groups: [Set<String>], chunks: Int64) async throws -> SearchRoute {
        let history = HistoryAccess(
            conversation: room,
            floor: 0,
            ceiling: chunks * SearchChunk.size,
            until: .max,
            start: HistoryKey(0),
            end: HistoryKey(.max, .max)
        )
        return try await TestDatabase.current.pool.withConnection { connection in
            try await SearchRoute.choose(for: groups, SearchAccess([history]), 200, on: connection)
        }
    }

    private func fill(_ chunks: Int) async throws {
        _ = try await TestDatabase.current.pool.query(
            """
            INSERT INTO read_live.search_chunks (conversation_id, chunk, partition, first_at, last_at, words, dictionary)
            SELECT \(room), n, 0, now(), now(), ('everywhere:1 rare' || n || ':2')::tsvector, 'simple'
            FROM generate_series(1, \(chunks)::bigint) n
            """
        )
    }
}
