import Foundation
import ParleyWire

/// Turns chat logs and a seed into a plan.
struct Planner {
    let derivation: Derivation
    let options: PlanOptions
    private var people: [PersonPlan] = []

    init(seed: UInt64, options: PlanOptions) {
        derivation = Derivation(seed: seed)
        self.options = options
    }

    /// At least this many silent people are in every group: they listen, stall and are cut off.
    static let smallestCrowd = 3

    mutating func plan(_ logs: [ChatLog]) -> Plan {
        let crowd = (0..<max(Self.smallestCrowd, options.members)).map { number in
            register("crowd/\(number)", nickname: "Silent \(number)")
        }
        var listeners = Array(crowd.prefix(2))
        var groups: [GroupPlan] = []
        for (index, log) in logs.enumerated() {
            let speakers = speakers(of: log)
            let speaking = Set(speakers.numbers)
            // The listeners of a file are spread over those who speak early, late and seldom.
            let stride = max(speaking.count / max(options.listeners, 1), 1)
            let chosen = speakers.numbers.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
                .prefix(options.listeners)
            listeners.append(contentsOf: chosen)
            var planner = GroupPlanner(
                log: log,
                derivation: derivation,
                speakers: speakers,
                crowd: Array(crowd.prefix(max(Self.smallestCrowd, options.members - speaking.count))),
                listeners: Array(chosen),
                options: options
            )
            // People in all groups are disturbed by one group only, so that a cut is not answered by another's "back".
            if index == 0 { planner.disturbed = (cut: crowd[0], stalled: crowd[1]) }
            groups.append(planner.plan())
        }
        return Plan(seed: derivation.seed, people: people, groups: groups, listeners: listeners)
    }

    /// Those who speak in a log, in the order of their first words; a person keeps the number through renames.
    private mutating func speakers(of log: ChatLog) -> Speakers {
        var speakers = Speakers()
        for line in log.lines {
            if line.kind == .rename {
                speakers.rename(line.sender, to: line.newName ?? "")
            } else if speakers.number(of: line.sender) == nil {
                speakers.add(register("\(log.name)/\(line.sender)", nickname: line.sender), as: line.sender)
            }
        }
        return speakers
    }

    private mutating func register(_ name: String, nickname: String) -> PersonNumber {
        let credentials = derivation.credentials(name, displayName: DisplayName.fitting(nickname))
        people.append(PersonPlan(name: name, credentials: credentials))
        return people.count - 1
    }
}
