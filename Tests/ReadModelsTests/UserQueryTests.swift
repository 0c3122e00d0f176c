import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct UserQueryTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()

    private var queries: Queries { Queries(pool: TestDatabase.current.pool, partitions: 4) }

    private func found(_ query: String?) async throws -> [String?] {
        try await queries.directory(matching: query, excluding: ada, after: nil, limit: 50).items.map(\.displayName)
    }

    @Test func `people are found by the beginnings of the words of their names`() async throws {
        var log = TestLog()
        log.register(ada, name: "Ada")
        for name in ["Grace Hopper", "Jean-Luc Ærø", "José Núñez", "O'Brien 'quoted' \\", "李小龙", "Zoë & Co", nil] {
            log.register(UUID(), name: name)
        }
        try await log.project()
        #expect(try await found("hop") == ["Grace Hopper"])
        #expect(try await found("HOPPER gr") == ["Grace Hopper"])
        #expect(try await found("pper") == [])
        #expect(try await found("luc") == ["Jean-Luc Ærø"])
        #expect(try await found("jose nun") == ["José Núñez"])
        #expect(try await found("brien") == ["O'Brien 'quoted' \\"])
        #expect(try await found("o'b") == ["O'Brien 'quoted' \\"])
        #expect(try await found("李") == ["李小龙"])
        #expect(try await found("zoe") == ["Zoë & Co"])
        #expect(try await found("ada") == [], "the caller is left out")
        #expect(try await found("  ").count == 6)
        for hostile in ["' | 'x", ":*", "!!", "& |", "\\", "'", String(repeating: "a ", count: 10_000)] {
            #expect(try await found(hostile).count <= 6)
        }
    }

    @Test func `a name that nobody has finds those that are spelled much like it`() async throws {
        var log = TestLog()
        for name in ["Ada", "John Lovelace", "Johanna", "Katherine Johnson", "Grace Hopper", "李小龙"] {
            log.register(UUID(), name: name)
        }
        try await log.project()
        #expect(try await found("jhon") == ["John Lovelace", "Katherine Johnson"])
        #expect(try await found("lovelase") == ["John Lovelace"])
        #expect(try await found("Katehrine") == ["Katherine Johnson"])
        #expect(try await found("katherin jonson") == ["Katherine Johnson"])
        #expect(try await found("Hoper") == ["Grace Hopper"])
        #expect(try await found("grcae hoppr") == ["Grace Hopper"])
        #expect(try await found("hopper") == ["Grace Hopper"], "what is right is not taken for a mistake")
        #expect(try await found("lovelace john") == ["John Lovelace"])
        #expect(try await found("xyz") == [])
        #expect(try await found("zz") == [])
        #expect(try await found("grace zz") == [])
        for hostile in ["%", "_", "a%b", "\\", "'", String(repeating: "x", count: 10_000)] {
            #expect(try await found(hostile).isEmpty)
        }
    }

    @Test func `the directory is paged by name`() async throws {
        var log = TestLog()
        for index in 0..<25 { log.register(UUID(), name: index % 2 == 0 ? "Twin" : "Person \(index)") }
        try await log.project()
        var seen: [UUID] = []
        var cursor: String?
        repeat {
            let page = try await queries.directory(matching: nil, excluding: ada, after: cursor, limit: 4)
            seen += page.items.map(\.id.uuid)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(seen.count == 25)
        #expect(Set(seen).count == 25)
    }

    @Test func `a profile shows the newest of each setting`() async throws {
        var log = TestLog()
        log.register(ada, name: nil)
        try await log.project()
        let fresh = try #require(try await queries.profile(of: ada))
        #expect(fresh.displayName == nil)
        #expect(
            fresh.me(email: "ada@example.org", isEmailVerified: true, presence: Presence(status: .online))
                .needsOnboarding
        )
        #expect(fresh.settings == UserSettings())
        log.changeProfile(
            ada,
            ProfileChange(displayName: "Ada", photoURL: .set("photo"), timeZone: .set("Europe/Paris"))
        )
        log.changeProfile(ada, ProfileChange(photoURL: .cleared, readReceipts: false))
        try await log.project()
        let changed = try #require(try await queries.profile(of: ada))
        #expect(changed.displayName == "Ada" && changed.photoURL == nil)
        #expect(changed.settings == UserSettings(readReceipts: false, timeZone: "Europe/Paris"))
        #expect(try await queries.users([ada, UUID()])[ada]?.displayName == "Ada")
        #expect(try await queries.user(UUID()) == nil)
        #expect(try await queries.summaries(of: [ada])[WireID(ada)]?.displayName == "Ada")
    }

    @Test func `changed people are those who share or shared a conversation with me, once, in order`() async throws {
        var log = TestLog()
        let stranger = UUID()
        for person in [ada, grace, alan, stranger] { log.register(person) }
        let room = UUID()
        log.startGroup(room, [ada, grace, alan])
        log.remove(alan, from: room, headSeq: 0, by: ada)
        let before = log.events.map { Int64($0.count) }
        for person in [ada, grace, alan, stranger, grace] {
            log.changeProfile(person, ProfileChange(displayName: "New \(person)"))
        }
        try await log.project()
        let now = log.events.map { Int64($0.count) }
        let changes = try await queries.peopleChanged(since: before, upTo: now, sharingWith: ada, limit: 100)
        // Alan has left, but the history names him still.
        #expect(Set(changes.map(\.user.id.uuid)) == [ada, grace, alan])
        #expect(changes.count == 3)
        #expect(
            changes.map { [Int64($0.partition), $0.position] }
                == changes.map { [Int64($0.partition), $0.position] }.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
        )
        #expect(try await queries.peopleChanged(since: now, upTo: now, sharingWith: ada, limit: 100).isEmpty)
    }
}
