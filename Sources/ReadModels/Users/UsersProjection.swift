package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `users`: one row per person.
package struct UsersProjection: Projection {
    package static let name = "users"
    package static let version = 2
    package static let categories: [StreamCategory] = [.user]
    package static let tables: [ReadTable] = [.users]

    private var changes: [UUID: UserChange] = [:]

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        switch event.fact {
        case .user(let fact):
            changes[event.record.stream.id, default: UserChange()].fold(fact, of: event.record)
        case .conversation(.started), .conversation(.participantAdded), .conversation(.participantRemoved),
            .conversation(.roleChanged), .conversation(.groupChanged), .conversation(.messageSent),
            .conversation(.memberErased), .conversation(.receiptsAdvanced), .conversation(.messageEdited),
            .conversation(.messageDeleted), .conversation(.reactionAdded), .conversation(.reactionRemoved),
            .conversation(.messagePinned), .conversation(.messageUnpinned), .other, .undecodable,
            .conversation(.viewChanged), .conversation(.markedUnread), .conversation(.messageHidden),
            .conversation(.permissionsChanged),
            .conversation(.inviteCreated), .conversation(.inviteUsed), .conversation(.invitesEnded),
            .conversation(.blockChanged), .conversation(.retentionChanged), .conversation(.slowModeChanged):
            break
        }
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        UserChange.statements(for: changes, in: schema)
    }
}
