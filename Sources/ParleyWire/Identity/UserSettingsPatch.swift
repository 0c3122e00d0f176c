/// The settings part of `PATCH /v1/me`.
public struct UserSettingsPatch: Codable, Hashable, Sendable {
    public var readReceipts: Bool?
    public var showPresence: Bool?
    public var timeZone: Patch<String>
    public var locale: Patch<String>
    public var quietHours: Patch<QuietHours>

    public init(
        readReceipts: Bool? = nil,
        showPresence: Bool? = nil,
        timeZone: Patch<String> = .unchanged,
        locale: Patch<String> = .unchanged,
        quietHours: Patch<QuietHours> = .unchanged
    ) {
        self.readReceipts = readReceipts
        self.showPresence = showPresence
        self.timeZone = timeZone
        self.locale = locale
        self.quietHours = quietHours
    }
}
