/// A message that was looked for.
public struct SearchResult: Codable, Hashable, Sendable {
    public var message: Message
    /// Where its text has what was looked for, in order.
    public var highlights: [TextRange]

    public init(message: Message, highlights: [TextRange]) {
        self.message = message
        self.highlights = highlights
    }
}

/// A part of a text, in Unicode scalars: what Python and Swift's `unicodeScalars` count, and `Array.from` in JavaScript.
public struct TextRange: Codable, Hashable, Sendable {
    public var start: Int
    public var length: Int

    public init(start: Int, length: Int) {
        self.start = start
        self.length = length
    }
}
