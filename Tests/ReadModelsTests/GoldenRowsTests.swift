import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// What each projection makes of one history with all kinds of events, so that no change of it goes without a version.
@Suite(.database) struct GoldenRowsTests {
    /// By projection, its version and the digest of its rows.
    ///
    /// Where a digest differs, rows that exist are made otherwise now: raise the projection's version, and note both here.
    /// Only a change that a migration makes of existing rows as well, such as a new column, needs no new version.
    private static let golden = [
        "messages": "1 1240fb0e8285",
        "conversation-list": "1 b6c2a2ba6195",
        "unread-counts": "1 527cd9150463",
        "receipts": "1 77d506a42777",
        "users": "2 0fd41ca8f58c",
        "reactions": "1 666074bb2548",
        "system-messages": "2 1009d78a7c8b",
        "blocks": "1 bc62515ecbbc",
        "hidden-messages": "1 408e3c0b82a2",
        "search": "1 0efdb673b8f3",
    ]

    @Test func `the rows of a version do not change`() async throws {
        var log = TestLog(partitions: 4)
        Self.live(in: &log)
        try await log.project()
        try await TestDatabase.current.pool.withTransaction { connection in
            // Times as text, the same wherever the test runs.
            try await connection.execute("SET LOCAL TIME ZONE 'UTC'")
            var made: [String: String] = [:]
            for projection in Projections.all {
                made[projection.name] = "\(projection.version) \(try await digest(of: projection, on: connection))"
            }
            #expect(made == Self.golden)
        }
    }

    private func digest(of projection: any Projection.Type, on connection: PostgresConnection) async throws -> String {
        let rows: SQL = projection.tables.map { table -> SQL in
            "SELECT \(table.rawValue) || to_jsonb(t)::text AS row FROM \(table.name(in: .live)) t"
        }.joined(separator: " UNION ALL ")
        let answer = try await connection.query(
            #"SELECT left(md5(string_agg(r.row, ' ' ORDER BY r.row COLLATE "C")), 12) AS digest FROM (\#(rows)) r"#
        )
        return try answer.first?.decode("digest", as: String?.self) ?? "no rows"
    }

    // MARK: History

    private static func live(in log: inout TestLog) {
        var random = SeededGenerator(seed: 1)
        let people = (0..<4).map { _ in random.id() }
        let (ada, grace, alan, edsger) = (people[0], people[1], people[2], people[3])
        let room = random.id()
        for (person, name) in zip(people, ["Ada", "Grace", "Alan", "Edsger"]) { log.register(person, name: name) }
        log.changeProfile(ada, ProfileChange(photoURL: .set("photo"), readReceipts: false, locale: .set("en")))
        log.record(UserEvent.deactivated, on: grace, by: grace)
        log.record(UserEvent.reactivated, on: grace, by: grace)
        log.record(UserEvent.deactivated, on: edsger, by: edsger)
        log.startGroup(room, [ada, grace, alan], visibility: .joined)
        let first = random.id()
        log.send("one", seq: 1, to: room, by: ada, mentions: [grace, ada], as: first)
        log.send("two", seq: 2, to: room, by: grace, replyTo: MessageReference(id: first, seq: 1), as: random.id())
        log.mark(alan, in: room, delivered: 2, read: 1)
        privatelyRead(2, by: ada, in: room, of: &log)
        log.add(edsger, to: room, headSeq: 2, by: ada)
        log.record(ConversationEvent.roleChanged(RoleChanged(person: grace, role: .admin)), on: room, by: ada)
        log.send("three", seq: 3, to: room, by: alan, recipients: 3, as: random.id())
        log.remove(grace, from: room, headSeq: 3, by: ada)
        log.rename(room, by: alan)
        log.record(ConversationEvent.groupChanged(GroupChanged(icon: .set("icon"))), on: room, by: ada)
        log.add(grace, to: room, headSeq: 3, by: ada)
        log.send("four", seq: 4, to: room, by: ada, mentions: [edsger], recipients: 3, as: random.id())
        log.mark(edsger, in: room, delivered: 4, read: 4)
        Self.change(room, of: &log, ada, grace, alan)
        log.record(ConversationEvent.memberErased(MemberErased(person: alan, headSeq: 4)), on: room, by: alan)
        log.record(UserEvent.erased, on: alan, by: alan)
        let direct = log.startDirect(ada, grace)
        log.send("hello", seq: 1, to: direct, by: ada, recipients: 1, as: random.id())
        changeViews(of: ada, in: room, of: &log)
        let chosen = PermissionsChanged(send: .admins, addMembers: .everyone, pin: .everyone)
        log.record(ConversationEvent.permissionsChanged(chosen), on: room, by: ada)
        log.keep(for: 86_400, in: room, by: ada)
        log.send("five", seq: 5, to: room, by: ada, retention: 86_400, as: random.id())
        log.send("six", seq: 6, to: room, by: grace, retention: 86_400, as: random.id())
        log.expire(5, of: room, sentBy: ada)
        log.keep(for: nil, in: direct, by: ada)
        log.record(ConversationEvent.slowModeChanged(SlowModeChanged(seconds: 60)), on: room, by: ada)
        log.pin(1, of: room, by: ada)
        log.pin(3, of: room, by: grace)
        log.pin(4, of: room, by: ada)
        log.pin(3, of: room, by: ada, pins: false)
        for (person, isBlocked) in [(grace, true), (grace, false), (ada, true)] {
            let block = BlockChanged(person: person, blocked: edsger, isBlocked: isBlocked)
            log.record(
                ConversationEvent.blockChanged(block),
                on: DerivedID.directConversation(person, edsger),
                by: person
            )
        }
        log.send("seven", seq: 7, to: room, by: ada, mentions: [grace], mentionsAll: true, as: random.id())
    }

    private static func changeViews(of person: UUID, in room: UUID, of log: inout TestLog) {
        let changed = ViewChanged(
            person: person,
            mutedUntil: .set(TestLog.beginning),
            notificationLevel: .mentions,
            archivedSeq: .set(4),
            pinnedAt: .set(TestLog.beginning),
            clearedSeq: 3
        )
        log.record(ConversationEvent.viewChanged(changed), on: room, by: person)
        log.record(ConversationEvent.markedUnread(MarkedUnread(person: person, readSeq: 1)), on: room, by: person)
        let hidden = MessageHidden(person: person, messageID: person, seq: 1)
        log.record(ConversationEvent.messageHidden(hidden), on: room, by: person)
    }

    /// What becomes of messages.
    private static func change(_ room: UUID, of log: inout TestLog, _ ada: UUID, _ grace: UUID, _ alan: UUID) {
        log.edit("once", seq: 1, of: room, by: ada)
        log.edit("twice", seq: 1, of: room, by: ada)
        log.edit("thrice", seq: 3, of: room, by: alan)
        log.edit("not for long", seq: 2, of: room, by: grace)
        log.react("\u{1F44D}", to: 1, of: room, by: grace)
        log.react("\u{1F44D}", to: 1, of: room, by: alan)
        log.react("\u{2764}", to: 1, of: room, by: grace)
        log.react("\u{2764}", to: 1, of: room, by: grace, adds: false)
        log.react("\u{2764}", to: 2, of: room, by: ada)
        log.delete(2, of: room, sentBy: grace, by: ada)
    }

    private static func privatelyRead(_ seq: Int64, by person: UUID, in room: UUID, of log: inout TestLog) {
        let mark = ReceiptsAdvanced.Mark(person: person, deliveredSeq: seq, readSeq: seq, publicReadSeq: 0)
        log.record(ConversationEvent.receiptsAdvanced(ReceiptsAdvanced(marks: [mark])), on: room, by: person)
    }
}
