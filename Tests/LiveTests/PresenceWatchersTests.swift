import Foundation
import TestSupport
import Testing

@testable import Live

struct PresenceWatchersTests {
    @Test(arguments: UInt64(1)...10)
    func `who is told of whom is what was set last`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var watchers = PresenceWatchers<Int>()
        var expected: [Int: [UUID: Bool]] = [:]
        let people = (0..<12).map { _ in UUID() }
        for _ in 0..<300 {
            let stream = Int.random(in: 0..<8, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                watchers.remove(stream)
                expected[stream] = nil
            } else {
                let targets = people.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map {
                    ($0, Int.random(in: 0..<2, using: &random) == 0)
                }
                watchers.set(targets.map { .init(person: $0.0, isShown: $0.1) }, of: stream)
                expected[stream] = Dictionary(uniqueKeysWithValues: targets)
            }
            for person in people {
                let watching = expected.filter { $0.value[person] != nil }.map(\.key)
                #expect(watchers.watchers(of: person).sorted() == watching.sorted())
                let shown = expected.filter { $0.value[person] == true }.map(\.key)
                #expect(watchers.streams(shown: person).sorted() == shown.sorted())
            }
            for (stream, targets) in expected {
                let found = watchers.targets(of: stream)
                #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.person, $0.isShown) }) == targets)
            }
        }
    }
}
