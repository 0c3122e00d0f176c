import Edge
import EventSourcing
import EventStore
import Foundation
import Identity
import Messaging
import ParleyWire
import ReadModels

/// A person's own profile as the log has it: exact at once, where a read model may lag.
struct Profiles: Sendable {
    let eventStore: EventStore

    struct Profile {
        var displayName: String?
        var photoURL: String?
        var settings = UserSettings()
        var createdAt: Date
        var isErased = false
    }

    func user(_ id: UUID) async throws -> ParleyWire.User {
        let profile = try await profile(id)
        return ParleyWire.User(
            id: WireID(id),
            displayName: profile.displayName,
            photoURL: profile.photoURL,
            presence: .unknown,
            createdAt: profile.createdAt
        )
    }

    func me(_ id: UUID, _ contact: AccountContact) async throws -> Me {
        var profile = try await profile(id)
        profile.settings.quietHours = try await QuietHoursRows(pool: eventStore.pool).find(of: id)
        return Me(
            id: WireID(id),
            displayName: profile.displayName,
            photoURL: profile.photoURL,
            presence: .unknown,
            createdAt: profile.createdAt,
            email: contact.email,
            emailVerified: contact.isVerified,
            settings: profile.settings,
            needsOnboarding: profile.displayName == nil
        )
    }

    /// The file that is a person's photo; nil where there is none, or nobody.
    func photo(of id: UUID) async throws -> UUID? {
        do {
            return try await profile(id).photoURL.flatMap(AttachmentLinks.file(at:))
        } catch let problem as HTTPProblem where problem.code == .unauthenticated {
            return nil
        }
    }

    func settings(of id: UUID) async throws -> UserSettings {
        try await profile(id).settings
    }

    /// A profile changes seldom, so its stream is short; it is read in pages all the same.
    private func profile(_ id: UUID) async throws -> Profile {
        let stream = StreamID(.user, id)
        var profile: Profile?
        var version: Int64 = 0
        while true {
            let events = try await eventStore.log.events(of: stream, after: version, limit: 500)
            for event in events { Self.fold(event, into: &profile) }
            guard events.count == 500, let last = events.last else { break }
            version = last.version
        }
        guard let profile, !profile.isErased else {
            throw HTTPProblem.unauthenticated("The account has no profile: sign in again.")
        }
        return profile
    }

    private static func fold(_ record: RecordedEvent, into profile: inout Profile?) {
        var current = profile ?? Profile(createdAt: record.recordedAt)
        if case .event(let event as UserEvent) = record.body {
            switch event {
            case .registered(let displayName):
                current.displayName = displayName
            case .profileChanged(let change):
                current.displayName = change.displayName ?? current.displayName
                change.photoURL.applied(to: &current.photoURL)
                current.settings.readReceipts = change.readReceipts ?? current.settings.readReceipts
                current.settings.showPresence = change.showPresence ?? current.settings.showPresence
                change.timeZone.applied(to: &current.settings.timeZone)
                change.locale.applied(to: &current.settings.locale)
            case .erased:
                current.isErased = true
            case .deactivated, .reactivated:
                break
            }
        }
        profile = current
    }
}

extension Presence {
    /// Nobody follows presence yet.
    static let unknown = Presence(status: .offline)
}
