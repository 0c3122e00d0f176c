import Synchronization

/// What was compared, how often, and what failed.
final class CheckReport: Sendable {
    /// The checks, in the order in which they are printed.
    enum Check: String, CaseIterable, Sendable {
        case people = "people registered or signed in"
        case groups = "groups created as asked"
        case sends = "sends acknowledged with the next seq, words unchanged"
        case uploads = "pictures taken in"
        case repeats = "repeated sends answered with the same seq and time"
        case conflicts = "other words under a used id refused"
        case memberships = "joins, additions, removals, departures answered"
        case intruders = "sends of former members refused"
        case renames = "renames answered"
        case receiptAnswers = "receipts answered with the right marks and counts"
        case edits = "edits answered with the new words"
        case deletions = "deletions answered"
        case reactions = "reactions given and taken back answered"
        case pins = "pins answered"
        case mutings = "mutings answered"
        case spotChecks = "looks in the middle: conversation and newest page"
        case history = "history: every acknowledged message once, in seq order"
        case messages = "history: words, replies, edits, tombstones, reactions, mentions"
        case pictures = "pictures: there with their messages, gone with those deleted"
        case newestPages = "newest pages of all members: the same"
        case pinnedMessages = "pinned messages: exactly those"
        case search = "search: every message with a word, once, as it is now, and no other's"
        case pagesBack = "history read backwards equals forwards"
        case ownMessages = "own messages: status, counts, who has and who read"
        case messageReceipts = "receipts of a message, per recipient"
        case conversations = "conversations of members: head, newest message, name"
        case marks = "marks, unread counts, mention counts, mutings of members"
        case lists = "conversation lists: exactly one's own"
        case participants = "participants with their present names"
        case formerMembers = "former members: history ends with their stay"
        case streams = "streams: every message of one's stays once, in order"
        case streamEvents = "stream events well-formed, none reset"
        case snapshots = "snapshot + events = fresh snapshot"
    }

    struct Count: Sendable, Equatable {
        var compared = 0
        var failed = 0
        var examples: [String] = []
    }

    /// More examples of one failing check teach nothing new.
    static let mostExamples = 12

    private let counts = Mutex<[Check: Count]>([:])

    func compare(_ check: Check, _ holds: Bool, _ explanation: @autoclosure () -> String) {
        let text = holds ? nil : explanation()
        counts.withLock { counts in
            counts[check, default: Count()].compared += 1
            guard let text else { return }
            counts[check, default: Count()].failed += 1
            if counts[check, default: Count()].examples.count < Self.mostExamples {
                counts[check, default: Count()].examples.append(text)
            }
        }
    }

    /// One comparison of many things at once: fails once, with the differences as its examples.
    func compare(_ check: Check, differences: [String], of subject: @autoclosure () -> String) {
        compare(check, differences.isEmpty, "\(subject()): \(differences.prefix(4).joined(separator: "; "))")
    }

    func fail(_ check: Check, _ explanation: String) {
        compare(check, false, explanation)
    }

    subscript(check: Check) -> Count { counts.withLock { $0[check] ?? Count() } }

    var holds: Bool { counts.withLock { $0.values.allSatisfy { $0.failed == 0 } } }

    /// A table of what was compared, and what failed.
    func table() -> String {
        let counts = counts.withLock { $0 }
        let shown = Check.allCases.filter { counts[$0] != nil }
        let width = shown.map(\.rawValue.count).max() ?? 0
        var lines = ["check".padded(to: width) + "  compared    failed"]
        for check in shown {
            guard let count = counts[check] else { continue }
            lines.append(
                check.rawValue.padded(to: width) + "  " + String(count.compared).leftPadded(to: 8) + "  "
                    + (count.failed == 0 ? "       –" : String(count.failed).leftPadded(to: 8))
            )
        }
        for check in shown {
            guard let count = counts[check], count.failed > 0 else { continue }
            lines.append("")
            lines.append("FAILED: \(check.rawValue)")
            lines.append(contentsOf: count.examples.map { "  \($0)" })
            if count.failed > count.examples.count {
                lines.append("  … and \(count.failed - count.examples.count) more")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }

    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
