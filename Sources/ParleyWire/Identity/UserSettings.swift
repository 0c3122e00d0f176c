/// What a person chose for the own account.
public struct UserSettings: Codable, Hashable, Sendable {
    /// Whether others see what this person has read.
    public var readReceipts: Bool
    /// An IANA name.
    @Nullable public var timeZone: String?
    /// A BCP 47 tag.
    @Nullable public var locale: String?

    public init(readReceipts: Bool = true, timeZone: String? = nil, locale: String? = nil) {
        self.readReceipts = readReceipts
        self.timeZone = timeZone
        self.locale = locale
    }
}
