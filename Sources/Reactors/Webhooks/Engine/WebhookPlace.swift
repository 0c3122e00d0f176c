import Foundation

/// How far a webhook was told of a conversation, claimed by this process.
struct WebhookPlace: Sendable {
    let webhook: UUID
    let conversation: UUID
    /// The next version of the conversation's stream that is to be told.
    let next: Int64
    /// The newest one that may be.
    let head: Int64
    /// How often the next one was refused.
    let attempts: Int
    let failingSince: Date?
    let claim: UUID
    /// Whether others take it over as soon as this process's session is missing.
    let isOfSession: Bool
}
