import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct MessageQueryTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()

    private var queries: Queries { Queries(pool: TestDatabase.current.pool, partitions: 4) }

    /// A hundred messages, of which Grace has read forty.
    private func projected(_ more: (inout TestLog) -> Void = { _ in }) async throws -> [UUID] {
        var log = TestLog()
        log.register(ada, name: "Ada")
        log.startGroup(room, [ada, grace, alan])
        let ids = (1...100).map { log.send("Message \($0)", seq: Int64($0), to: room, by: ada) }
        log.mark(grace, in: room, delivered: 100, read: 40)
        more(&log)
        try await log.project()
        return ids
    }

    private func page(_ anchor: HistoryAnchor, _ limit: Int = 10) async throws -> HistoryPage {
        try #require(try await queries.history(of: room, for: grace, at: anchor, limit: limit))
    }

    private func seqs(_ anchor: HistoryAnchor, _ limit: Int = 10) async throws -> [Int64] {
        try await page(anchor, limit).items.compactMap(\.seq)
    }

    @Test func `a history is read from the newest back to the first, and forth again`() async throws {
        _ = try await projected()
        var older: [Int64] = []
        var current = try await page(.newest, 30)
        #expect(!current.page.hasNewer && current.page.newerCursor == nil)
        while let cursor = current.page.olderCursor {
            older = current.items.compactMap(\.seq) + older
            current = try await page(.before(cursor), 30)
        }
        #expect(current.items.compactMap(\.seq) + older == Array(1...100))
        #expect(!current.page.hasOlder)
        var newer = current.items.compactMap(\.seq)
        while let cursor = current.page.newerCursor {
            current = try await page(.after(cursor), 30)
            newer += current.items.compactMap(\.seq)
        }
        #expect(newer == Array(1...100))
        #expect(current.users?[WireID(ada)]?.displayName == "Ada")
    }

    @Test func `a history of long texts keeps what is nearest to its anchor`() async throws {
        _ = try await projected { log in
            log.send(String(repeating: "x", count: 10_000), seq: 101, to: room, by: grace)
        }
        let queries = Queries(pool: TestDatabase.current.pool, partitions: 4, answerBytes: 5_000)
        func page(_ anchor: HistoryAnchor) async throws -> HistoryPage {
            try #require(try await queries.history(of: room, for: alan, at: anchor, limit: 20))
        }
        func seqs(_ anchor: HistoryAnchor) async throws -> [Int64] { try await page(anchor).items.compactMap(\.seq) }
        // One is always there, however long it is.
        let newest = try await page(.newest)
        #expect(newest.items.map(\.seq) == [101])
        let older = try await page(.before(try #require(newest.page.olderCursor)))
        #expect(older.items.compactMap(\.seq) == Array(94...100))
        #expect(older.page.hasOlder && older.page.hasNewer)
        #expect(try await seqs(.around(.seq(50))) == Array(47...53))
        let next = try await page(.after(try #require(older.page.olderCursor)))
        #expect(next.items.compactMap(\.seq) == Array(95...100))
        #expect(next.page.hasNewer)
    }

    @Test func `of a history with many mentions there is less in a page`() async throws {
        _ = try await projected { log in
            log.send("All of you", seq: 101, to: room, by: grace, mentions: (0..<100).map { _ in UUID() })
        }
        let queries = Queries(pool: TestDatabase.current.pool, partitions: 4, answerBytes: 5_000)
        let page = try #require(try await queries.history(of: room, for: alan, at: .newest, limit: 20))
        #expect(page.items.map(\.seq) == [101])
        #expect(page.items.first?.mentions.count == 100)
        #expect(page.page.hasOlder)
    }

    @Test func `a history is read around a message, a place or the first unread one`() async throws {
        let ids = try await projected()
        #expect(try await seqs(.around(.seq(50))) == Array(45...54))
        #expect(try await seqs(.around(.message(ids[49]))) == Array(45...54))
        #expect(try await seqs(.around(.unread)) == Array(36...45))
        // Before the first message the history says who has made the group.
        #expect(try await seqs(.around(.seq(1))) == Array(1...9))
        #expect(try await seqs(.around(.seq(100))) == Array(91...100))
        #expect(try await seqs(.around(.seq(.max))) == Array(91...100))
        #expect(try await seqs(.around(.seq(7)), 1) == [7])
        #expect(try await seqs(.newest, .max).count == 100)
        #expect(try await seqs(.newest, .min) == [100])
        await #expect(throws: UnknownMessage.self) { try await seqs(.around(.message(UUID()))) }
    }

    @Test(arguments: ["", "0", "-1", "+1", "01", "unreads", "99999999999999999999", "not-a-uuid"])
    func `what is no place in a history is not understood`(text: String) {
        #expect(HistoryTarget(text: text) == nil)
    }

    @Test func `an empty history has no pages`() async throws {
        var log = TestLog()
        let talk = log.startDirect(ada, grace)
        try await log.project()
        for anchor in [HistoryAnchor.newest, .around(.unread), .around(.seq(5))] {
            let page = try await queries.history(of: talk, for: grace, at: anchor, limit: 10)
            #expect(page?.items.isEmpty == true && page?.page.hasOlder == false && page?.page.hasNewer == false)
        }
    }

    @Test func `who joined later sees nothing from before where the group wants it so`() async throws {
        let turing = UUID()
        var log = TestLog()
        log.startGroup(room, [ada, grace, alan], visibility: .joined)
        let first = log.send("before", seq: 1, to: room, by: ada)
        log.add(turing, to: room, headSeq: 1, by: ada)
        log.send("after", seq: 2, to: room, by: ada, replyTo: MessageReference(id: first, seq: 1))
        try await log.project()
        let page = try #require(try await queries.history(of: room, for: turing, at: .newest, limit: 10))
        // The joining itself is seen.
        #expect(page.items.map(\.text) == [nil, "after"])
        #expect(page.items.first?.systemData?.event == "participantAdded")
        #expect(!page.page.hasOlder)
        // Not even where it is answered.
        #expect(page.items.last?.replyTo?.id == WireID(first))
        #expect(page.items.last?.replyTo?.text == nil)
        #expect(try await queries.message(first, in: room, for: turing) == nil)
        await #expect(throws: UnknownMessage.self) {
            try await queries.history(of: room, for: turing, at: .around(.message(first)), limit: 10)
        }
        let answered = try await queries.history(of: room, for: grace, at: .newest, limit: 10)?.items.last
        #expect(answered?.replyTo?.text == "before")
    }

    @Test func `messages keep what was said with them`() async throws {
        let ids = try await projected { log in
            log.send(nil, seq: 101, to: room, by: alan, mentions: [ada, grace])
        }
        let message = try #require(try await queries.messages([101, 100, 500, -1], in: room, for: ada)[101])
        #expect(message.text == nil)
        #expect(message.mentions == [.user(WireID(ada)), .user(WireID(grace))])
        #expect(message.status == nil)
        let own = try #require(try await queries.message(ids[39], in: room, for: ada))
        #expect(own.status == .sent)
        #expect(own.readCount == 1 && own.deliveredCount == 1 && own.recipientCount == 2)
        #expect(own.readBy?.keys.map(\.uuid) == [grace])
        #expect(try await queries.senders(in: room, after: 98, upTo: 101, limit: 2).map(\.seq) == [101, 100])
        #expect(try await queries.quotes([40, 999], in: room)[40]?.text == "Message 40")
        #expect(try await queries.messages([1], in: room, for: UUID()).isEmpty)
    }

    @Test func `a group of many shows counts only, and pages its receipts`() async throws {
        var log = TestLog()
        let members = [ada] + (0..<120).map { _ in UUID() }
        log.startGroup(room, members)
        let message = log.send("Hello", seq: 1, to: room, by: ada, recipients: 120)
        for member in members[1...80] { log.mark(member, in: room, delivered: 1, read: 0) }
        try await log.project()
        let seen = try #require(try await queries.message(message, in: room, for: ada))
        #expect(seen.recipientCount == 120 && seen.deliveredCount == 80 && seen.readCount == 0)
        #expect(seen.deliveredTo == [:] && seen.readBy == [:])
        var paged: [MessageReceipt] = []
        var cursor: String?
        repeat {
            let page = try #require(
                try await queries.receipts(of: message, in: room, for: members[3], after: cursor, limit: 50)
            )
            paged += page.items
            cursor = page.nextCursor
        } while cursor != nil
        #expect(paged.map(\.userId.uuid) == members.dropFirst().sorted())
        #expect(paged.count { $0.deliveredAt != nil } == 80)
        #expect(try await queries.receipts(of: UUID(), in: room, for: ada, after: nil, limit: 50) == nil)
        #expect(try await queries.receipts(of: message, in: room, for: UUID(), after: nil, limit: 50) == nil)
    }
}
