package import EventSourcing

extension StreamCategory {
    /// A conversation's rules and messages; exact expected version.
    package static let conversation = StreamCategory(rawValue: "conversation")
    /// A conversation's watermarks; max-merged, so reading never conflicts with sending.
    package static let receipts = StreamCategory(rawValue: "receipts")
    /// A person's profile and settings.
    package static let user = StreamCategory(rawValue: "user")
}
