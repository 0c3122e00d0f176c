import Foundation
import ParleyWire

/// A message as the journal says it must be.
struct ExpectedMessage: Sendable, Equatable {
    let id: WireID
    let seq: Int64
    let sender: WireID
    let text: String
    let replyTo: WireID?
    let clientTimestamp: Date
    let timestamp: Date
}
