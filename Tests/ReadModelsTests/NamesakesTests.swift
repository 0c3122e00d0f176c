import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

/// Whose names are found to be taken for one another's.
@Suite(.database) struct NamesakesTests {
    private var queries: Queries { Queries(pool: TestDatabase.current.pool, partitions: 4) }
    let room = UUID()
    /// In the order of their accounts, as the ids of the server are.
    let people = (0..<30).map { UUID(uuidString: "00000000-0000-7000-8000-0000000000\($0 + 10)") ?? UUID() }

    private func warning(_ person: UUID, like other: UUID) -> Warning {
        Warning(code: .confusableName, userId: WireID(person), similarTo: WireID(other))
    }

    @Test func `names are alike by their look or by their letters, and the newer account is warned of`() async throws {
        var log = TestLog()
        let names = ["Bill", "Alice", "BiII", "Вера", "ALICE", "вера", "Nell", "Neil", nil, nil]
        for (person, name) in zip(people, names) { log.register(person, name: name) }
        try await log.project()
        #expect(
            try await queries.warnings(among: Array(people.prefix(10).reversed())) == [
                warning(people[2], like: people[0]), warning(people[4], like: people[1]),
                warning(people[5], like: people[3]),
            ]
        )
        #expect(try await queries.warnings(among: [people[0], people[1], people[8], people[9]]) == nil)
        #expect(try await queries.warnings(among: []) == nil)
    }

    @Test func `of many alike twenty are told, the oldest accounts first`() async throws {
        var log = TestLog()
        for person in people { log.register(person, name: "Twin") }
        log.startGroup(room, people)
        try await log.project()
        let (oldest, newest) = (people[0], people[29])
        #expect(try await queries.warnings(among: people)?.count == 20)
        let warnings = try await queries.warnings(of: newest, in: room)
        #expect(warnings == people.prefix(20).map { warning(newest, like: $0) })
        #expect(
            try await queries.warnings(of: oldest, called: "tw\u{456}n")
                == people[1...20].map { warning(oldest, like: $0) }
        )
    }

    @Test func `who has left, has another name by now or is erased is nobody's likeness`() async throws {
        var log = TestLog()
        let (ada, grace, alan, edsger) = (people[0], people[1], people[2], people[3])
        for person in people.prefix(4) { log.register(person, name: "Twin") }
        log.startGroup(room, [ada, grace, alan])
        log.add(edsger, to: room, headSeq: 0, by: ada)
        try await log.project()
        #expect(try await queries.warnings(of: edsger, in: room)?.map(\.similarTo.uuid) == [ada, grace, alan])
        log.remove(ada, from: room, headSeq: 0, by: grace)
        log.changeProfile(grace, ProfileChange(displayName: "Grace"))
        log.record(UserEvent.erased, on: alan, by: alan)
        try await log.project()
        #expect(try await queries.warnings(of: edsger, in: room) == nil)
        #expect(try await queries.warnings(of: edsger, called: "twin") == nil)
        #expect(try await queries.warnings(of: edsger, called: "GRACE") == [warning(edsger, like: grace)])
        #expect(try await queries.warnings(among: [ada, alan]) == nil)
    }

    @Test func `two people by themselves share no group`() async throws {
        var log = TestLog()
        let (ada, grace) = (people[0], people[1])
        for person in [ada, grace] { log.register(person, name: "Twin") }
        _ = log.startDirect(ada, grace)
        try await log.project()
        #expect(try await queries.warnings(of: ada, called: "Twin") == nil)
    }
}
