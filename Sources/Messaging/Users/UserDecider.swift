package import EventSourcing
import Foundation

/// What the rules of a person's stream need to know.
package struct User: Sendable, Equatable, Codable {
    package var isRegistered = false
    package var isDeactivated = false
    package var isErased = false

    package init() {}
}

package enum UserCommand: Sendable, Equatable {
    case register(displayName: String?)
    case changeProfile(ProfileChange)
    case erase
    case deactivate
    case reactivate
}

/// What a person changes of the own profile and settings; absent fields stay.
package struct ProfileChange: Sendable, Equatable {
    package let displayName: String?
    package let photoURL: Change<String>
    package let readReceipts: Bool?
    package let showPresence: Bool?
    package let timeZone: Change<String>
    package let locale: Change<String>

    package init(
        displayName: String? = nil,
        photoURL: Change<String> = .unchanged,
        readReceipts: Bool? = nil,
        showPresence: Bool? = nil,
        timeZone: Change<String> = .unchanged,
        locale: Change<String> = .unchanged
    ) {
        self.displayName = displayName
        self.photoURL = photoURL
        self.readReceipts = readReceipts
        self.showPresence = showPresence
        self.timeZone = timeZone
        self.locale = locale
    }

    package var isEmpty: Bool { self == ProfileChange() }
}

package enum UserRejection: Error, Equatable, Sendable {
    case notFound
    /// The person is erased, for good.
    case erased
}

/// The rules of a person's profile.
package enum UserDecider: Decider {
    package static let name = "user"
    package static let snapshotVersion = 2
    package static let streams = [AggregateStream(.user, isOrdered: true)]
    package static let initialState = User()

    package static func decide(_ command: UserCommand, given user: User) throws(UserRejection) -> [UserEvent] {
        switch command {
        case .erase:
            // Who never was registered has nothing to erase; the eraser looks again later.
            return user.isRegistered && !user.isErased ? [.erased] : []
        case _ where user.isErased:
            throw .erased
        case .register(let displayName):
            // A login repeats what a crash between account and profile left out.
            return user.isRegistered ? [] : [.registered(displayName: displayName)]
        case .changeProfile(let change):
            guard user.isRegistered else { throw .notFound }
            return change.isEmpty ? [] : [.profileChanged(change)]
        case .deactivate:
            guard user.isRegistered else { throw .notFound }
            return user.isDeactivated ? [] : [.deactivated]
        case .reactivate:
            guard user.isRegistered else { throw .notFound }
            return user.isDeactivated ? [.reactivated] : []
        }
    }

    package static func evolve(_ user: inout User, _ event: UserEvent) {
        switch event {
        case .registered: user.isRegistered = true
        case .profileChanged: break
        case .erased: user.isErased = true
        case .deactivated: user.isDeactivated = true
        case .reactivated: user.isDeactivated = false
        }
    }
}
