/// What a bot's token allows.
package enum BotScope: String, CaseIterable, Sendable {
    /// To read, to follow the stream, and to say what was received and read.
    case read
    /// To send, and to change what the bot may change.
    case write
}
