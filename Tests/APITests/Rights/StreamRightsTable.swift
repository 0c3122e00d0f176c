import EventStore
import Foundation
import Messaging
import Testing

@testable import API

/// Who gets what of each kind of event on a stream: a row for each act, which says what the log has of it.
///
/// Written down by hand, as ``RightsTable`` is. A new kind of event gets its row here.
enum StreamRightsTable {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The types of the events that the act appends to the log.
        let types: Set<String>
        /// The receivers of each event of a stream; nobody gets any other, but for unread counts.
        let receivers: [String: Set<StreamWatcher>]
        let act: @Sendable (StreamRightsScene) async throws -> Void

        var testDescription: String { types.sorted().joined(separator: ", ") }
    }

    static let rows: [Row] = messages + groups + members + own + people

    private static let all: Set<StreamWatcher> = [.owner, .admin, .member]

    private static func row(
        _ types: Set<String>,
        _ receivers: [String: Set<StreamWatcher>],
        _ act: @escaping @Sendable (StreamRightsScene) async throws -> Void
    ) -> Row {
        Row(types: types, receivers: receivers, act: act)
    }

    // MARK: Messages

    private static let messages = [
        row(["messageSent"], ["message.created": all]) { try await $0.send() },
        row(["messageForwarded"], ["message.created": all]) { try await $0.send(hops: 1) },
        row(["attachmentsSent"], ["message.created": all]) { scene in
            let file = AttachedFile(id: UUID(), kind: .file, contentType: "text/plain", bytes: 3)
            try await scene.send(attachments: [file])
        },
        row(["limitedMessageSent"], ["message.created": all]) { scene in
            _ = try await scene.server.ask("All of you", scene.owner, in: scene.group, mentionsAll: true)
        },
        row(["messageEdited"], ["message.updated": all]) { try await $0.change(.edit("Other")) },
        row(["messageDeleted"], ["message.deleted": all]) { try await $0.change(.delete) },
        row(["reactionAdded"], ["reaction.updated": all]) { try await $0.change(.react("\u{1F44D}")) },
        row(["reactionAdded", "reactionRemoved"], ["reaction.updated": all]) { scene in
            try await scene.change(.react("\u{1F44D}"))
            try await scene.change(.takeBack("\u{1F44D}"))
        },
        row(["messagePinned"], ["message.updated": all]) { try await $0.change(.pin) },
        row(["messagePinned", "messageUnpinned"], ["message.updated": all]) { scene in
            try await scene.change(.pin)
            try await scene.change(.unpin)
        },
        row(
            ["retentionChanged", "limitedMessageSent", "messageExpired"],
            ["conversation.updated": all, "message.created": all, "message.deleted": all]
        ) { scene in
            try await scene.changeGroup(retention: .set(3_600))
            let message = try await scene.server.ask("Soon gone", scene.owner, in: scene.group)
            let later = Date().addingTimeInterval(3_600)
            _ = try await scene.server.dependencies.expirer.expire([message], of: scene.group, at: later)
        },
        // To the author, and to the reader's own devices.
        row(["receiptsAdvanced"], ["receipt.updated": [.owner, .member]]) { scene in
            try await scene.server.read(scene.group, upTo: 1, by: scene[.member])
        },
    ]

    // MARK: Groups

    private static let groups = [
        row(["groupChanged"], ["conversation.updated": all]) { try await $0.changeGroup(name: "Other") },
        row(["retentionChanged"], ["conversation.updated": all]) { try await $0.changeGroup(retention: .set(3_600)) },
        row(["permissionsChanged"], ["conversation.updated": all]) { scene in
            try await scene.changeGroup(permissions: PermissionsChanged(send: .admins))
        },
        row(["slowModeChanged"], ["conversation.updated": all]) { try await $0.changeGroup(slowMode: .set(5)) },
        row(["conversationStarted"], ["conversation.created": [.stranger]]) { scene in
            let people = [scene[.stranger], scene.loner, scene.crier]
            _ = try await scene.server.startGroup(people, besides: scene.group)
        },
        // Nothing of what happens in a conversation of others.
        row(
            ["userRegistered", "conversationStarted", "messageSent", "receiptsAdvanced", "participantRemoved"],
            [:]
        ) { scene in
            let others = try await scene.server.people(3)
            let elsewhere = try await scene.server.startGroup(others, besides: scene.group)
            try await scene.server.say("Hi", others[0], in: elsewhere)
            try await scene.server.read(elsewhere, upTo: 1, by: others[1])
            try await scene.server.remove(others[2], from: elsewhere, by: others[0])
        },
    ]

    // MARK: Members

    private static let members = [
        row(
            ["participantAdded"],
            ["conversation.created": [.stranger], "participant.added": all]
        ) { scene in
            try await scene.server.add(scene[.stranger], to: scene.group, by: scene.owner)
        },
        row(
            ["participantRemoved"],
            ["conversation.removed": [.member], "participant.removed": [.owner, .admin]]
        ) { scene in
            try await scene.server.remove(scene[.member], from: scene.group, by: scene.owner)
        },
        row(
            ["roleChanged"],
            ["conversation.updated": [.member], "participant.updated": [.owner, .admin]]
        ) { scene in
            let put = PutParticipant(actor: scene.owner.id, person: scene[.member].id, role: .admin, maxMembers: 100)
            try await scene.command(.putParticipant(put))
        },
        row(
            ["participantRemoved", "memberErased"],
            ["participant.removed": all, "user.updated": all, "conversation.updated": all]
        ) { scene in
            try await scene.server.command(.eraseMember(scene.loner.id), on: scene.group, by: scene.loner.id)
        },
        // Invites are asked for.
        row(["inviteCreated", "invitesEnded"], [:]) { scene in
            let invite = try await scene.invite()
            try await scene.command(.endInvite(EndInvite(actor: scene.owner.id, invite: invite)))
        },
        row(
            ["inviteCreated", "inviteUsed", "participantAdded"],
            ["conversation.created": [.stranger], "participant.added": all]
        ) { scene in
            let person = scene[.stranger].id
            let invite = try await scene.invite()
            let join = JoinByInvite(person: person, invite: invite, maxMembers: 100, now: Date())
            try await scene.server.command(.joinByInvite(join), on: scene.group, by: person)
        },
    ]

    // MARK: What is one's own

    private static let own = [
        row(["viewChanged"], ["member.updated": [.member]]) { scene in
            try await scene.server.view(scene.group, of: scene[.member], clears: true)
        },
        row(["markedUnread"], ["member.updated": [.owner]]) { scene in
            try await scene.server.markUnread(scene.group, from: 1, by: scene.owner)
        },
        row(["messageHidden"], ["message.deleted": [.member]]) { scene in
            try await scene.server.hide(scene.message, in: scene.group, by: scene[.member])
        },
        row(["blockChanged"], ["block.updated": [.member]]) { scene in
            let person = scene[.member].id
            let log = scene.server.eventStore.identity
            // In the partition of the message that ends the scene.
            var other = UUID()
            while log.partition(of: DerivedID.directConversation(person, other)) != log.partition(of: scene.square) {
                other = UUID()
            }
            let pair = DerivedID.directConversation(person, other)
            let block = Messaging.Block(person: person, blocked: other, isBlocked: true)
            try await scene.server.command(.block(block), on: pair, by: person)
        },
    ]

    // MARK: People

    /// To those who share a conversation with the loner.
    private static let people = [
        row(["userRegistered"], [:]) { _ = try await $0.server.person("Newcomer") },
        row(["profileChanged"], ["user.updated": all]) { scene in
            try await scene.server.rename(scene.loner, to: "Renamed")
        },
        row(["settingsChanged"], ["user.updated": all]) { scene in
            try await scene.account(.changeProfile(ProfileChange(showPresence: false)))
        },
        row(["userDeactivated"], ["user.updated": all]) { try await $0.account(.deactivate) },
        row(["userDeactivated", "userReactivated"], ["user.updated": all]) { scene in
            try await scene.account(.deactivate)
            try await scene.account(.reactivate)
        },
        row(["userErased"], ["user.updated": all]) { try await $0.account(.erase) },
    ]
}
