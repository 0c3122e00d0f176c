import Foundation
import ParleyWire

/// What became of one try to tell a webhook something: a row of the log that operators read.
struct WebhookTry: Sendable {
    let conversation: UUID
    let partition: Int
    let position: Int64
    let message: String
    let event: StreamEventName
    let attempt: Int
    let milliseconds: Int
    let result: WebhookResult
}
