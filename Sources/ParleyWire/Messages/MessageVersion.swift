public import Foundation

/// What a message said until it was edited.
public struct MessageVersion: Codable, Hashable, Sendable {
    /// null once its author is erased.
    @Nullable public var text: String?
    /// When it was sent, or made by an edit.
    public var timestamp: Date

    public init(text: String?, timestamp: Date) {
        self.text = text
        self.timestamp = timestamp
    }
}
