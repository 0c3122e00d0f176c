package import EventSourcing
import Foundation

/// What the rules of a person's stream need to know.
package struct User: Sendable, Equatable, Codable {
    package var isRegistered = false

    package init() {}
}

package enum UserCommand: Sendable, Equatable {
    case register(displayName: String?)
    case changeProfile(ProfileChange)
}

/// What a person changes of the own profile and settings; absent fields stay.
package struct ProfileChange: Sendable, Equatable {
    package let displayName: String?
    package let photoURL: Change<String>
    package let readReceipts: Bool?
    package let timeZone: Change<String>
    package let locale: Change<String>

    package init(
        displayName: String? = nil,
        photoURL: Change<String> = .unchanged,
        readReceipts: Bool? = nil,
        timeZone: Change<String> = .unchanged,
        locale: Change<String> = .unchanged
    ) {
        self.displayName = displayName
        self.photoURL = photoURL
        self.readReceipts = readReceipts
        self.timeZone = timeZone
        self.locale = locale
    }

    package var isEmpty: Bool { self == ProfileChange() }
}

package enum UserRejection: Error, Equatable, Sendable {
    case notFound
}

/// The rules of a person's profile.
package enum UserDecider: Decider {
    package static let name = "user"
    package static let stateShape = 1
    package static let streams = [EntityStream(.user, isOrdered: true)]
    package static let initialState = User()

    package static func decide(_ command: UserCommand, given user: User) throws(UserRejection) -> [UserEvent] {
        switch command {
        case .register(let displayName):
            // A login repeats what a crash between account and profile left out.
            return user.isRegistered ? [] : [.registered(displayName: displayName)]
        case .changeProfile(let change):
            guard user.isRegistered else { throw .notFound }
            return change.isEmpty ? [] : [.profileChanged(change)]
        }
    }

    package static func evolve(_ user: inout User, _ event: UserEvent) {
        switch event {
        case .registered: user.isRegistered = true
        case .profileChanged: break
        }
    }
}
