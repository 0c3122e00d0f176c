import EventStore
import Foundation
import Messaging
import Testing

@testable import API

/// Everyone in the room, and those outside of it, each with a stream.
enum StreamWatcher: String, CaseIterable {
    case owner, admin, member, formerMember, stranger
}

/// A group with one message of its owner's, and a square on which a crier is heard by all.
struct StreamRightsScene: Sendable {
    let server: LiveServer
    let group: UUID
    /// The owner's.
    let message: UUID
    let square: UUID
    let crier: LivePerson
    /// A member of the group who is not on the square.
    let loner: LivePerson
    private let cast: [StreamWatcher: LivePerson]

    init(_ server: LiveServer) async throws {
        var cast: [StreamWatcher: LivePerson] = [:]
        for watcher in StreamWatcher.allCases { cast[watcher] = try await server.person("the \(watcher.rawValue)") }
        let crier = try await server.person("crier")
        let owner = try #require(cast[.owner])
        let former = try #require(cast[.formerMember])
        loner = try await server.person("loner")
        let members = [StreamWatcher.owner, .admin, .member, .formerMember].compactMap { cast[$0] } + [loner]
        // All in one partition, in which events come in order.
        group = try await server.startGroup(members, besides: loner.id)
        let put = PutParticipant(actor: owner.id, person: members[1].id, role: .admin, maxMembers: 100)
        try await server.command(.putParticipant(put), on: group, by: owner.id)
        message = try await server.ask("Hello", owner, in: group)
        try await server.remove(former, from: group, by: owner)
        let all = StreamWatcher.allCases.compactMap { cast[$0] }
        square = try await server.startGroup([crier] + all, besides: loner.id)
        self.server = server
        self.crier = crier
        self.cast = cast
    }

    subscript(watcher: StreamWatcher) -> LivePerson {
        // Every watcher has been cast above.
        cast[watcher] ?? crier
    }

    var owner: LivePerson { self[.owner] }

    // MARK: Acts of the owner, in the group

    func command(_ command: ConversationCommand, as id: UUID = UUID()) async throws {
        try await server.command(command, on: group, by: owner.id, as: id)
    }

    func change(_ step: MessageStep) async throws {
        try await server.change(message, by: step, owner, in: group)
    }

    func send(hops: Int = 0, attachments: [AttachedFile] = []) async throws {
        let id = UUID()
        let send = SendMessage(
            messageID: id,
            sender: owner.id,
            text: "Hi",
            replyTo: nil,
            mentions: [],
            clientTimestamp: nil,
            hops: hops,
            attachments: attachments
        )
        try await command(.send(send), as: id)
    }

    func changeGroup(
        name: String? = nil,
        permissions: PermissionsChanged = .nothing,
        retention: Change<Int> = .unchanged,
        slowMode: Change<Int> = .unchanged
    ) async throws {
        let change = ChangeGroup(
            actor: owner.id,
            name: name,
            icon: .unchanged,
            joinPolicy: nil,
            historyVisibility: nil,
            permissions: permissions,
            retention: retention,
            slowMode: slowMode
        )
        try await command(.changeGroup(change))
    }

    /// - Returns: what the rules know the invite by.
    func invite() async throws -> UUID {
        let (code, id) = (InviteCode(of: group), UUID())
        let create = CreateInvite(
            actor: owner.id,
            code: code,
            command: id,
            maxUses: nil,
            expiresAt: nil,
            now: Date()
        )
        try await command(.createInvite(create), as: id)
        return code.invite
    }

    /// What becomes of the loner's account.
    func account(_ command: UserCommand) async throws {
        let context = CommandContext(commandID: UUID(), actor: loner.id, now: Date())
        _ = try await server.eventStore.handle(command, of: UserDecider.self, on: loner.id, context: context) { _ in }
    }
}
