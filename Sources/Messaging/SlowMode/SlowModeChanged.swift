/// How often a member of a group may send has changed.
package struct SlowModeChanged: Sendable, Equatable, Codable {
    /// The time between two messages; nil where there is no limit.
    package let seconds: Int?

    package init(seconds: Int?) {
        self.seconds = seconds
    }
}
