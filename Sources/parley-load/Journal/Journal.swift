import Foundation
import ParleyWire
import Synchronization

/// Everything that the server has promised, in memory and, line by line, in a file.
///
/// What stands in the file at the start was promised to an earlier process that played the same plan.
final class Journal: Sendable {
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var userIDs: [String: WireID] = [:]
        var created: [String: String?] = [:]
        var acknowledgements: [WireID: Acknowledgement] = [:]
        var done: [String: String?] = [:]
        var births: [WireID: Acknowledgement.Birth] = [:]
    }

    /// Whether an earlier process has played a part of the plan.
    let isContinued: Bool
    private let file: JournalFile
    private let state: Mutex<State>

    init(path: String, header: JournalEntry.Header) throws {
        let entries = try JournalFile.entries(of: path)
        var state = State()
        for entry in entries {
            if case .plan(let other) = entry, other != header {
                throw Unusable(description: "\(path) is the journal of another replay: other files, seed or options")
            }
            Self.apply(entry, to: &state)
        }
        // Births concern the streams of one process only.
        state.births = [:]
        isContinued = !state.userIDs.isEmpty
        self.state = Mutex(state)
        file = try JournalFile(path: path)
        if entries.isEmpty { try file.append(.plan(header)) }
        try file.append(.started(at: Date()))
    }

    func record(_ entry: JournalEntry) throws {
        // In the file first: what memory knows was promised must not be lost with the process.
        try file.append(entry)
        state.withLock { Self.apply(entry, to: &$0) }
    }

    func userID(of person: String) -> WireID? { state.withLock { $0.userIDs[person] } }

    func isCreated(group: String) -> Bool { state.withLock { $0.created[group] != nil } }

    func isDone(step: String) -> Bool { state.withLock { $0.done[step] != nil } }

    func position(ofStep step: String) -> String? { state.withLock { $0.done[step] ?? nil } }

    func acknowledgement(of message: WireID) -> Acknowledgement? {
        state.withLock { $0.acknowledgements[message] }
    }

    /// When the message came into being, as this process knows it; nil where it has not heard of the message.
    func birth(of message: WireID) -> Acknowledgement.Birth? { state.withLock { $0.births[message] } }

    var acknowledgementCount: Int { state.withLock { $0.acknowledgements.count } }

    private static func apply(_ entry: JournalEntry, to state: inout State) {
        switch entry {
        case .registered(let person, let userID): state.userIDs[person] = userID
        case .created(let group, let position): state.created[group] = position
        case .acknowledged(let new):
            // The first word counts: later ones are compared with it.
            if state.acknowledgements[new.message] == nil { state.acknowledgements[new.message] = new }
            if state.births[new.message] == nil { state.births[new.message] = new.birth }
        case .done(let step, let position): state.done[step] = position
        case .plan, .started, .answered: break
        }
    }
}
