import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct ConversationQueryTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()

    private var queries: Queries { Queries(pool: TestDatabase.current.pool, partitions: 4) }

    private func people() -> TestLog {
        var log = TestLog()
        log.register(ada, name: "Ada Lovelace")
        log.register(grace, name: "Grace Hopper")
        log.register(alan, name: "Alan Turing")
        return log
    }

    @Test func `a list is paged by activity, filtered and searched`() async throws {
        var log = people()
        var rooms: [UUID] = []
        for index in 0..<7 {
            rooms.append(UUID())
            log.startGroup(rooms[index], [ada, grace, alan], name: "Ålesund \(index)")
        }
        let direct = log.startDirect(ada, grace)
        log.send("Hello", seq: 1, to: rooms[2], by: grace)
        try await log.project()

        var seen: [UUID] = []
        var cursor: String?
        repeat {
            let page = try await queries.conversations(of: ada, filter: nil, matching: nil, after: cursor, limit: 3)
            #expect(page.items.count <= 3)
            seen += page.items.map(\.id.uuid)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(seen == [rooms[2], direct] + rooms.enumerated().filter { $0.offset != 2 }.map(\.element).reversed())

        #expect(try await list(.groups).count == 7)
        #expect(try await list(.direct) == [direct])
        #expect(try await list(.unread) == [rooms[2]])
        #expect(try await list(.archived) == [])
        #expect(try await list(nil, matching: "alesund 4") == [rooms[4]])
        #expect(try await list(nil, matching: "  HOPPER ") == [direct])
        #expect(try await list(nil, matching: "100%").isEmpty)
        #expect(try await list(nil, matching: "   ").count == 8)
    }

    private func list(_ filter: ConversationFilter?, matching text: String? = nil) async throws -> [UUID] {
        try await queries.conversations(of: ada, filter: filter, matching: text, after: nil, limit: 200)
            .items.map(\.id.uuid)
    }

    @Test(arguments: [
        "", "x", "%%%", "AQ", "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", String(repeating: "A", count: 5_000),
    ])
    func `a cursor that is not ours is refused`(cursor: String) async throws {
        var log = people()
        log.startGroup(room, [ada, grace, alan])
        let message = log.send("Hello", seq: 1, to: room, by: grace)
        try await log.project()
        await #expect(throws: BadCursor.self) {
            try await queries.conversations(of: ada, filter: nil, matching: nil, after: cursor, limit: 3)
        }
        await #expect(throws: BadCursor.self) {
            try await queries.directory(matching: nil, excluding: ada, after: cursor, limit: 3)
        }
        await #expect(throws: BadCursor.self) {
            try await queries.participants(of: room, for: ada, after: cursor, limit: 3)
        }
        await #expect(throws: BadCursor.self) {
            try await queries.receipts(of: message, in: room, for: ada, after: cursor, limit: 3)
        }
        for anchor in [HistoryAnchor.before(cursor), .after(cursor)] {
            await #expect(throws: BadCursor.self) {
                try await queries.history(of: room, for: ada, at: anchor, limit: 3)
            }
        }
    }

    @Test func `a conversation names its people, and everyone beside them`() async throws {
        var log = people()
        log.startGroup(room, [ada, grace, alan], name: "Friends")
        log.send("Hello", seq: 1, to: room, by: alan)
        log.remove(alan, from: room, headSeq: 1, by: ada)
        try await log.project()
        let seen = try #require(try await queries.conversation(room, for: grace))
        #expect(seen.type == .group)
        #expect(seen.groupName == "Friends")
        #expect(
            seen.participants?.map(\.displayName)
                == [ada, grace].sorted().map { $0 == ada ? "Ada Lovelace" : "Grace Hopper" }
        )
        #expect(seen.lastMessage?.senderId == WireID(alan))
        #expect(seen.users?[WireID(alan)]?.displayName == "Alan Turing")
        #expect(seen.users?[WireID(ada)]?.displayName == "Ada Lovelace")
    }

    @Test func `a former member sees the conversation as it was left, a stranger nothing`() async throws {
        var log = people()
        log.startGroup(room, [ada, grace, alan])
        log.send("one", seq: 1, to: room, by: ada)
        log.remove(alan, from: room, headSeq: 1, by: ada)
        log.send("two", seq: 2, to: room, by: ada)
        log.remove(grace, from: room, headSeq: 2, by: ada)
        try await log.project()
        let seen = try #require(try await queries.conversation(room, for: alan))
        #expect(seen.headSeq == 1)
        #expect(seen.lastMessage?.text == "one")
        #expect(seen.unreadCount == 0)
        #expect(seen.participantCount == 2)
        #expect(Set(seen.participantIds ?? []) == [WireID(ada), WireID(grace)])
        let history = try #require(try await queries.history(of: room, for: alan, at: .newest, limit: 9))
        // How it ended is the last that is seen.
        #expect(history.items.map(\.text) == [nil, "one", nil])
        #expect(history.items.last?.systemData?.event == "participantRemoved")
        let people = try await queries.participants(of: room, for: alan, after: nil, limit: 9)
        #expect(people?.items.count == 2)
        #expect(
            try await queries.conversations(of: alan, filter: nil, matching: nil, after: nil, limit: 9).items.isEmpty
        )
        #expect(try await queries.conversation(room, for: UUID()) == nil)
        #expect(try await queries.participants(of: room, for: UUID(), after: nil, limit: 9) == nil)
    }

    @Test func `a former member sees nothing that became of the group since`() async throws {
        var log = people()
        let edsger = UUID()
        func change(_ event: ConversationEvent) { log.record(event, on: room, by: ada) }
        log.startGroup(room, [ada, grace, alan], name: "Friends")
        change(.groupChanged(GroupChanged(icon: .set("icon"))))
        change(.permissionsChanged(PermissionsChanged(send: .admins)))
        change(.slowModeChanged(SlowModeChanged(seconds: 60)))
        log.keep(for: 3_600, in: room, by: ada)
        change(.participantAdded(ParticipantAdded(person: edsger, role: .admin, headSeq: 0)))
        change(.roleChanged(RoleChanged(person: grace, role: .admin)))
        log.remove(alan, from: room, headSeq: 0, by: ada)
        try await log.project()
        let before = try #require(try await queries.conversation(room, for: alan))
        #expect(before.groupName == "Friends" && before.groupIcon == "icon")
        #expect(before.permissions == ParleyWire.GroupPermissions(send: .admins))
        #expect(before.slowModeSeconds == 60 && before.retentionSeconds == 3_600)
        let peopleBefore = try #require(
            try await queries.participants(of: room, for: alan, after: nil, limit: 9)?.items
        )
        let roles = Dictionary(uniqueKeysWithValues: peopleBefore.map { ($0.userId.uuid, $0.role.rawValue) })
        #expect(roles == [ada: "owner", grace: "admin", edsger: "admin"])

        log.rename(room, to: "Others", by: grace)
        change(.groupChanged(GroupChanged(icon: .cleared, joinPolicy: .open, historyVisibility: .joined)))
        change(.permissionsChanged(PermissionsChanged(send: .everyone, pin: .everyone)))
        change(.slowModeChanged(SlowModeChanged(seconds: nil)))
        log.keep(for: nil, in: room, by: ada)
        for (person, role) in [(grace, Role.owner), (ada, .member), (edsger, .member)] {
            change(.roleChanged(RoleChanged(person: person, role: role)))
        }
        log.remove(edsger, from: room, headSeq: 0, by: grace)
        log.add(UUID(), to: room, headSeq: 0, by: grace)
        try await log.project()
        #expect(try await queries.conversation(room, for: alan) == before)
        let people = try await queries.participants(of: room, for: alan, after: nil, limit: 9)
        #expect(people?.items == peopleBefore)
        let participants = try await queries.participants([ada, grace, edsger], of: room, for: alan)
        #expect(Set(participants.values) == Set(peopleBefore))
        let present = try await queries.participants([ada, grace], of: room)
        #expect(present[grace]?.role == .owner && present[ada]?.role == .member)
        let export = try await queries.exportedConversations(of: alan, after: nil, limit: 9)
        #expect(export.lines.map(\.groupName) == ["Friends"])
    }

    @Test func `many see one conversation, one sees many`() async throws {
        var log = people()
        let other = UUID()
        log.startGroup(room, [ada, grace, alan])
        log.startGroup(other, [grace, alan, UUID()])
        log.send("one", seq: 1, to: room, by: ada)
        try await log.project()
        let each = try await queries.conversation(room, forEach: [ada, grace, UUID()])
        #expect(each.count == 2)
        #expect(each[ada]?.unreadCount == 0)
        #expect(each[grace]?.unreadCount == 1)
        #expect(each[grace]?.participants?.count == 3)
        let mine = try await queries.conversations([room, other, UUID()], for: ada)
        #expect(Set(mine.keys) == [room])
    }

    @Test func `above fifty members people are paged apart`() async throws {
        var log = people()
        let members = [ada] + (0..<60).map { _ in UUID() }
        log.startGroup(room, members)
        try await log.project()
        let seen = try #require(try await queries.conversation(room, for: ada))
        #expect(seen.participants == nil && seen.participantIds == nil)
        #expect(seen.participantCount == 61)
        var paged: [UUID] = []
        var cursor: String?
        repeat {
            let page = try #require(try await queries.participants(of: room, for: ada, after: cursor, limit: 25))
            paged += page.items.map(\.userId.uuid)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(paged == members.sorted())
        #expect(Set(try await queries.members(of: room)) == Set(members))
    }

    @Test func `a snapshot is of one moment and goes on where it says`() async throws {
        var log = people()
        log.startGroup(room, [ada, grace, alan])
        for seq in 1...30 { log.send("Message \(seq)", seq: Int64(seq), to: room, by: grace) }
        let direct = log.startDirect(ada, alan)
        try await log.project()
        let snapshot = try #require(try await queries.snapshot(for: ada, window: 1, timelineLimit: 20))
        #expect(snapshot.profile.displayName == "Ada Lovelace")
        #expect(snapshot.totalUnread == TotalUnread(all: 30, unmuted: 30, mentions: 0))
        #expect(snapshot.entries.map(\.conversation.id.uuid) == [direct])
        #expect(snapshot.positions == log.events.map { Int64($0.count) })
        let rest = try await queries.conversations(
            of: ada,
            filter: nil,
            matching: nil,
            after: snapshot.nextCursor,
            limit: 50
        )
        #expect(rest.items.map(\.id.uuid) == [room])
        let all = try #require(try await queries.snapshot(for: ada, window: 50, timelineLimit: 20))
        #expect(all.nextCursor == nil)
        let timeline = try #require(all.entries.last?.timeline)
        #expect(timeline.items.map(\.seq) == Array(11...30))
        #expect(timeline.page.hasOlder && !timeline.page.hasNewer)
        #expect(all.users.count == 3)
        #expect(try await queries.snapshot(for: UUID(), window: 50, timelineLimit: 20) == nil)
    }

    @Test func `a stream opens with the memberships that may have events past its cursor`() async throws {
        var log = people()
        let left = UUID()
        log.startGroup(room, [ada, grace, alan])
        log.startGroup(left, [ada, grace, alan])
        log.remove(ada, from: left, headSeq: 0, by: grace)
        let before = log.events.map { Int64($0.count) }
        log.send("to those who stayed", seq: 1, to: left, by: grace)
        log.mark(grace, in: room, delivered: 0, read: 0)
        try await log.project()
        let opening = try await queries.opening(for: ada)
        #expect(opening.positions == log.events.map { Int64($0.count) })
        #expect(Set(opening.spans.map(\.conversation)) == [room, left])
        #expect(opening.changed(since: before).map(\.conversation) == [room])
        #expect(opening.changed(since: opening.positions).isEmpty)
        #expect(opening.changed(since: [0, 0, 0, 0]).count == 2)
    }
}
