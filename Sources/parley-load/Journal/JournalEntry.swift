import Foundation
import ParleyWire

/// One line of the journal.
enum JournalEntry: Codable, Sendable, Equatable {
    /// The first line: which plan the journal belongs to.
    case plan(Header)
    /// A process began to play it.
    case started(at: Date)
    case registered(person: String, userID: WireID)
    case created(group: String, position: String?)
    case acknowledged(Acknowledgement)
    /// A step other than sending was answered as it should be.
    case done(step: String, position: String?)
    /// Any other answer, for those who read the journal.
    case answered(request: String, status: Int, code: String?)

    struct Header: Codable, Sendable, Equatable {
        var format = 2
        let seed: UInt64
        let files: [String]
        let lines: Int
        let options: PlanOptions
    }
}

/// The server's word for a message: that it has it, where, and since when.
struct Acknowledgement: Codable, Sendable, Equatable {
    let message: WireID
    let seq: Int64
    let timestamp: Date
    let position: String?
    let birth: Birth

    /// Whether the message came into being while this journal's latest process was listening.
    enum Birth: String, Codable, Sendable {
        /// 201, or 200 to a repetition in a run that began with nothing.
        case now
        /// 200 to a first try: it was there before.
        case before
        /// 200 to a later try: an earlier try may have made it, or an earlier run.
        case unknown
    }
}
