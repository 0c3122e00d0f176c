/// What a person chose for the own account.
public struct UserSettings: Codable, Hashable, Sendable {
    /// Whether others see what this person has read.
    public var readReceipts: Bool
    /// Whether others see that this person is there, and since when not.
    public var showPresence: Bool
    /// An IANA name.
    @Nullable public var timeZone: String?
    /// A BCP 47 tag.
    @Nullable public var locale: String?
    /// When notifications are silent.
    @Nullable public var quietHours: QuietHours?

    public init(
        readReceipts: Bool = true,
        showPresence: Bool = true,
        timeZone: String? = nil,
        locale: String? = nil,
        quietHours: QuietHours? = nil
    ) {
        self.readReceipts = readReceipts
        self.showPresence = showPresence
        self.timeZone = timeZone
        self.locale = locale
        self.quietHours = quietHours
    }
}
