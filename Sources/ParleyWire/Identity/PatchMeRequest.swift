/// `PATCH /v1/me`.
public struct PatchMeRequest: Codable, Hashable, Sendable {
    public var displayName: Patch<String>
    public var photoURL: Patch<String>
    public var settings: UserSettingsPatch?

    public init(
        displayName: Patch<String> = .unchanged,
        photoURL: Patch<String> = .unchanged,
        settings: UserSettingsPatch? = nil
    ) {
        self.displayName = displayName
        self.photoURL = photoURL
        self.settings = settings
    }
}
