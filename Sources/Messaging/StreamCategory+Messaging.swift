package import EventSourcing

extension StreamCategory {
    /// A conversation's rules and messages; exact expected version.
    package static let conversation = StreamCategory(rawValue: "conversation")
    /// A conversation's watermarks; max-merged, so reading never conflicts with sending.
    package static let receipts = StreamCategory(rawValue: "receipts")
    /// What the members of a conversation have made of their own views; each field has the latest, so that it never
    /// conflicts with sending.
    package static let views = StreamCategory(rawValue: "views")
    /// A person's profile and settings.
    package static let user = StreamCategory(rawValue: "user")
}
