import Foundation

/// Whose unread counts have changed and were not told yet: one entry per conversation, whatever the number of events.
struct UnreadMarks {
    struct Pending: Equatable {
        let conversation: UUID
        /// The connected people whose counts are to be told.
        let people: Set<UUID>
    }

    private struct Mark {
        let partition: Int
        /// The oldest event that the read models may not know yet, and the newest.
        var first: Int64
        var last: Int64
        var people: Set<UUID> = []
        var members: Members?

        mutating func extend(to position: Int64) {
            first = min(first, position)
            last = max(last, position)
        }
    }

    private enum Members {
        case all
        case allWithout(UUID)
    }

    private var marks: [UUID: Mark] = [:]

    var isEmpty: Bool { marks.isEmpty }

    mutating func add(_ step: UnreadStep, partition: Int, position: Int64) {
        switch step {
        case .none:
            break
        case .members(let conversation):
            change(conversation, partition, position) { $0.members = .all }
        case .membersWithout(let sender, let conversation):
            change(conversation, partition, position) { mark in
                switch mark.members {
                case nil: mark.members = .allWithout(sender)
                case .allWithout(let other): if other != sender { mark.members = .all }
                case .all: break
                }
            }
        case .people(let people, let conversation):
            change(conversation, partition, position) { $0.people.formUnion(people) }
        }
    }

    private mutating func change(
        _ conversation: UUID,
        _ partition: Int,
        _ position: Int64,
        _ body: (inout Mark) -> Void
    ) {
        let new = Mark(partition: partition, first: position, last: position)
        marks[conversation, default: new].extend(to: position)
        body(&marks[conversation, default: new])
    }

    /// Takes what the read models know already. A conversation that is ahead of them stays: its counts are told again, and
    /// a busy one is not left for later for ever.
    mutating func take(
        projected: [Int64],
        members: (UUID) -> Set<UUID>,
        isConnected: (UUID) -> Bool
    ) -> [Pending] {
        let known = marks.filter { projected.indices.contains($1.partition) && projected[$1.partition] >= $1.first }
        return known.compactMap { conversation, mark in
            let reached = projected[mark.partition]
            marks[conversation] = nil
            if reached < mark.last {
                marks[conversation] = mark
                marks[conversation]?.first = reached + 1
            }
            var people = mark.people.filter(isConnected)
            switch mark.members {
            case nil: break
            case .all: people.formUnion(members(conversation))
            case .allWithout(let sender): people.formUnion(members(conversation).filter { $0 != sender })
            }
            return people.isEmpty ? nil : Pending(conversation: conversation, people: people)
        }
    }
}
