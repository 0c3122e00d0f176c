/// How much a device shows of a message.
package enum PushPreview: String, Sendable, CaseIterable {
    case full
    /// Who has written, and not what.
    case sender
    /// That there is something.
    case none
}
