/// For how long what is said in a conversation from now on stays there has changed.
package struct RetentionChanged: Sendable, Equatable, Codable {
    /// Nil for ever.
    package let seconds: Int?

    package init(seconds: Int?) {
        self.seconds = seconds
    }
}
