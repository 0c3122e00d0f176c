import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import ReadModels
import TestSupport
import Testing

@testable import API
@testable import Live

/// Answers that would be longer than one may be.
@Suite(.database, .timeLimit(.minutes(10))) struct AnswerBudgetTests {
    private static let budget = 20_000
    private static let text = String(repeating: "x", count: 1_000)

    /// Three groups with twenty messages each, of which an answer holds fewer.
    private static func with(
        budget: Int = budget,
        _ body: @escaping @Sendable (LiveServer, _ reader: LivePerson, _ start: String) async throws -> Void
    ) async throws {
        try await LiveServer.with {
            $0.answerBytes = budget
        } _: { server in
            let people = try await server.people(3)
            var groups: [UUID] = []
            for _ in 0..<3 { groups.append(try await server.startGroup(people)) }
            try await server.waitForReadModels()
            let start = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1]).cursor
            for _ in 0..<20 {
                for group in groups { try await server.say(text, people[0], in: group) }
            }
            try await server.waitForReadModels()
            try await body(server, people[1], start)
        }
    }

    @Test(arguments: [1, budget])
    func `a snapshot has shorter timelines, all without holes, and says where they go on`(budget: Int) async throws {
        try await Self.with(budget: budget) { server, reader, _ in
            let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync?timelineLimit=20", as: reader)
            let shown = snapshot.conversations.reduce(0) { $0 + $1.timeline.items.count }
            #expect(shown == (budget == 1 ? 1 : 11))
            #expect(snapshot.conversations.count == (budget == 1 ? 1 : 3))
            for entry in snapshot.conversations {
                // In turns: none has taken what the others would need.
                #expect(budget == 1 || (3...4).contains(entry.timeline.items.count))
                var seqs = entry.timeline.items.compactMap(\.seq)
                var cursor = entry.timeline.page.olderCursor
                #expect(entry.timeline.page.hasOlder && !entry.timeline.page.hasNewer)
                while let before = cursor {
                    let path = "/v1/conversations/\(entry.conversation.id)/messages?limit=200&before=\(before)"
                    let page = try await server.get(HistoryPage.self, path, as: reader)
                    #expect(page.items.compactMap(\.seq).count <= 11 && !page.items.isEmpty)
                    seqs = page.items.compactMap(\.seq) + seqs
                    cursor = page.page.olderCursor
                }
                #expect(seqs == Array(1...20))
            }
        }
    }

    @Test func `a list goes on in the next page`() async throws {
        try await Self.with(budget: 6_000) { server, reader, _ in
            var found: [WireID] = []
            var path = "/v1/conversations"
            for _ in 0..<2 {
                let page = try await server.get(ListPage<Conversation>.self, path, as: reader)
                found += page.items.map(\.id)
                guard let next = page.nextCursor else { break }
                #expect(page.items.count == 2)
                path = "/v1/conversations?cursor=\(next)"
            }
            #expect(found.count == 3 && Set(found).count == 3)
        }
    }

    @Test func `what was missed comes in pages, and says that there is more`() async throws {
        try await Self.with { server, reader, start in
            var (cursor, hasMore, pages) = (start, true, 0)
            var texts = 0
            while hasMore {
                let answer = try await server.get("/v1/sync?since=\(cursor)&limit=1000", as: reader)
                #expect(answer.body.readableBytes < Self.budget + 4_000)
                let delta = try WireJSON.decoder().decode(SyncDelta.self, from: Data(answer.body.readableBytesView))
                texts += delta.events.count { $0.event.knownName == .messageCreated }
                (cursor, hasMore, pages) = (delta.cursor, delta.hasMore, pages + 1)
            }
            #expect(texts == 60)
            #expect(pages > 3)
        }
    }
    @Test func `what a message said before it was edited goes on in the next page`() async throws {
        try await TestServer.with {
            $0.answerBytes = 2_500
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let room = try await ada.talk(to: bob)
            let texts = (0..<6).map { "\($0)\(Self.text)" }
            let sent = try await ada.say(texts[0], in: room.id)
            var edited: Answer?
            for text in texts.dropFirst() { edited = try await ada.edit(sent, to: text) }
            let whole = try await bob.get(Message.self, sent.path, after: edited)
            #expect(whole.text == texts.last)
            for (limit, sizes) in [(200, [3, 2]), (2, [2, 2, 1])] {
                var pages: [[MessageVersion]] = []
                var cursor: String?
                repeat {
                    let place = cursor.map { "&cursor=\($0)" } ?? ""
                    let path = "\(sent.path)/history?limit=\(limit)\(place)"
                    let page = try await bob.get(ListPage<MessageVersion>.self, path)
                    pages.append(page.items)
                    cursor = page.nextCursor
                } while cursor != nil && pages.count < 6
                #expect(pages.map(\.count) == sizes)
                #expect(pages.joined().compactMap(\.text) == Array(texts.dropLast()))
            }
            for query in ["cursor=AAAA", "limit=201", "limit=0"] {
                let parameter = String(query.prefix { $0 != "=" })
                try await bob.send(.get, "\(sent.path)/history?\(query)")
                    .expect(.validationFailed, parameter: parameter)
            }
        }
    }

    @Test func `a list counts what its reader has begun to write`() async throws {
        try await TestServer.with {
            $0.answerBytes = 6_000
        } _: { server in
            let ada = try await server.register()
            SecretWatch.add(Self.text)
            for _ in 0..<3 {
                let other = try await server.register()
                let started = try await ada.send(.put, "/v1/conversations/direct/\(other.id)")
                let path = "/v1/conversations/\(try started.decode(Conversation.self).id)"
                _ = try await ada.get(Conversation.self, path, after: started)
                let me = try await ada.send(.patch, "\(path)/me", body: .object(["draft": .string(Self.text)]))
                #expect(try me.decode(MemberSettings.self).draft == Self.text)
            }
            let first = try await ada.get(ListPage<Conversation>.self, "/v1/conversations")
            #expect(first.items.count == 2)
            let cursor = try #require(first.nextCursor)
            let second = try await ada.get(ListPage<Conversation>.self, "/v1/conversations?cursor=\(cursor)")
            #expect(second.items.count == 1 && second.nextCursor == nil)
            #expect(Set((first.items + second.items).map(\.id)).count == 3)
        }
    }
}
