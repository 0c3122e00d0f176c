package import Foundation
package import ParleyWire
import Postgres

/// A person with the own settings; accounts, and so the email address, are kept elsewhere.
package struct Profile: Sendable, Equatable {
    package let id: UUID
    package let displayName: String?
    package let photoURL: String?
    package let createdAt: Date
    package internal(set) var settings: UserSettings
    private let erased: Bool?

    init(_ row: Row) throws {
        id = try row.decode("user_id")
        displayName = try row.decode("display_name")
        photoURL = try row.decode("photo_url")
        createdAt = try row.decode("created_at")
        settings = UserSettings(
            readReceipts: try row.decode("read_receipts"),
            showPresence: try row.decode("show_presence"),
            timeZone: try row.decode("time_zone"),
            locale: try row.decode("locale")
        )
        erased = try row.erased
    }

    package var user: User {
        User(
            id: WireID(id),
            displayName: displayName,
            photoURL: photoURL,
            presence: Presence(status: .offline),
            createdAt: createdAt,
            erased: erased
        )
    }

    package func me(email: String, isEmailVerified: Bool, presence: Presence) -> Me {
        Me(
            id: WireID(id),
            displayName: displayName,
            photoURL: photoURL,
            presence: presence,
            createdAt: createdAt,
            email: email,
            emailVerified: isEmailVerified,
            settings: settings,
            needsOnboarding: displayName == nil
        )
    }
}
