public import Foundation

/// A person, as others see them.
public struct User: Codable, Hashable, Sendable {
    public var id: WireID
    /// null until the person has given one.
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    public var presence: Presence
    public var createdAt: Date
    /// True where the person is erased, else left out. A client then drops every text of the person that it holds.
    public var erased: Bool?
    /// True where it is a program that an operator has made, else left out.
    public var isBot: Bool?

    public init(
        id: WireID,
        displayName: String?,
        photoURL: String? = nil,
        presence: Presence,
        createdAt: Date,
        erased: Bool? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.photoURL = photoURL
        self.presence = presence
        self.createdAt = createdAt
        self.erased = erased
        isBot = id.isBot ? true : nil
    }
}
