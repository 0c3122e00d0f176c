import Foundation
import ParleyWire
import TestSupport
import Testing

/// Somebody's client: it follows its stream at either server over cuts, and in the end knows what a fresh one is told.
struct WalkFollower: Sendable {
    let person: LivePerson
    private let servers: [LiveServer]
    private let quiet: Quiet
    private let random: SeededRandom

    init(_ person: LivePerson, _ servers: [LiveServer], _ quiet: Quiet, _ random: SeededRandom) {
        self.person = person
        self.servers = servers
        self.quiet = quiet
        self.random = random
    }

    /// - Returns: the tags of all texts that it was told.
    func follow() async throws -> Set<Int> {
        var random = random
        let start = servers[random.chance(50) ? 0 : 1]
        let snapshot = try await start.get(SyncSnapshot.self, "/v1/sync", as: person)
        var reducer = ReferenceReducer(snapshot)
        var tags = WalkWorld.tags(in: String(decoding: try WireJSON.encoder().encode(snapshot), as: UTF8.self))
        var cursor = snapshot.cursor
        var isLast = false
        while !isLast {
            isLast = await quiet.isOver
            let stream = try await servers[random.chance(50) ? 0 : 1].stream(of: person, since: cursor)
            if !isLast { await quiet.watch(stream) }
            var left = isLast ? Int.max : Int.random(in: 1...40, using: &random)
            while left > 0, let event = await stream.nextOfAll() {
                if isLast, event.name == StreamEventName.ready.rawValue { break }
                #expect(event.name != StreamEventName.reset.rawValue)
                cursor = event.lastID
                tags.formUnion(WalkWorld.tags(in: event.data))
                reducer.apply(try StreamEvent(event))
                left -= 1
            }
            stream.cut()
        }
        let fresh = try await servers[0].get(SyncSnapshot.self, "/v1/sync", as: person)
        let differences = reducer.differences(from: fresh)
        #expect(differences.isEmpty, "\(person.name): \(differences.joined(separator: "\n"))")
        return tags
    }
}
