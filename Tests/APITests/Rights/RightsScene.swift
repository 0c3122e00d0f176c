import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Identity
import Messaging
import NIOCore
import ParleyWire
import Testing

@testable import API

/// The people of ``RightsTable``, and a new conversation of theirs for each cell of it.
struct RightsScene {
    /// Whom a path or body names.
    enum Target: Hashable {
        /// A member whom nobody else here is.
        case bystander
        case secondOwner
        /// In no conversation.
        case outsider
        /// Registered nowhere.
        case nobody
        case caller
    }

    let server: LiveServer
    private let cast: [RightsActor: LivePerson]
    private let bystander: LivePerson
    private let secondOwner: LivePerson
    private let outsider: LivePerson

    init(_ server: LiveServer) async throws {
        self.server = server
        var cast: [RightsActor: LivePerson] = [:]
        for actor in RightsActor.allCases where actor != .anonymous {
            cast[actor] = try await server.person("the \(actor.rawValue)")
        }
        self.cast = cast
        bystander = try await server.person("bystander")
        secondOwner = try await server.person("secondOwner")
        outsider = try await server.person("outsider")
        try await server.deactivate(try #require(cast[.deactivated]))
    }

    func person(_ actor: RightsActor) throws -> LivePerson {
        try #require(cast[actor])
    }

    // MARK: Conversations

    /// A conversation with a message in it.
    struct Room {
        let id: UUID
        let messageID: UUID
        /// Of an invite that is open, in a group.
        let code: String
    }

    func room(_ kind: RightsTable.Row.Kind) async throws -> Room? {
        switch kind {
        case .group: try await group(.invite)
        case .openGroup: try await group(.open)
        case .direct: try await direct()
        case .none: nil
        }
    }

    private func group(_ policy: JoinPolicy) async throws -> Room {
        let owner = try person(.owner).id
        let admin = try person(.admin).id
        let former = try person(.formerMember)
        let others = [
            admin, try person(.member).id, former.id, try person(.deactivated).id, bystander.id, secondOwner.id,
        ]
        let id = UUID()
        let start = StartGroup(
            owner: owner,
            participants: others,
            name: "Group",
            icon: nil,
            joinPolicy: policy,
            historyVisibility: .all,
            maxMembers: 100
        )
        try await server.command(.startGroup(start), on: id, by: owner)
        for (person, role) in [(admin, Role.admin), (secondOwner.id, .owner)] {
            let put = PutParticipant(actor: owner, person: person, role: role, maxMembers: 100)
            try await server.command(.putParticipant(put), on: id, by: owner)
        }
        let message = try await server.ask("Hello", try self.person(.owner), in: id)
        try await server.remove(former, from: id, by: try self.person(.owner))
        let (code, command) = (InviteCode(of: id), UUID())
        let invite = CreateInvite(
            actor: owner,
            code: code,
            command: command,
            maxUses: nil,
            expiresAt: nil,
            now: Date()
        )
        try await server.command(.createInvite(invite), on: id, by: owner, as: command)
        return Room(id: id, messageID: message, code: code.text)
    }

    private func direct() async throws -> Room {
        // A pair is one conversation for ever, so each cell that has one needs a new person at the other side.
        let member = try person(.member).id
        let other = try await server.person("pair")
        let id = DerivedID.directConversation(member, other.id)
        try await server.command(.startDirect(StartDirect(starter: member, other: other.id)), on: id, by: member)
        let message = try await server.ask("Hello", other, in: id)
        return Room(id: id, messageID: message, code: InviteCode(of: id).text)
    }

    // MARK: Requests

    struct Reply {
        let status: Int
        let body: Data
    }

    /// Asks what a row asks, of a conversation or of one that there is not.
    func ask(_ row: RightsTable.Row, as caller: LivePerson?, of room: Room?) async throws -> Reply {
        let path = fill(row.path, row, caller, room)
        var headers: HTTPFields = [.contentType: "application/json"]
        if let caller { headers[.authorization] = "Bearer \(caller.token)" }
        if row.path == "/v1/stream" { return try await openStream(as: caller) }
        let response = try await server.client.execute(
            uri: path,
            method: row.method,
            headers: headers,
            body: row.body.map { ByteBuffer(string: fill($0, row, caller, room)) }
        )
        return Reply(status: response.status.code, body: Data(response.body.readableBytesView))
    }

    /// Who asks; nil for nobody.
    func caller(_ row: RightsTable.Row, _ actor: RightsActor) async throws -> LivePerson? {
        if actor == .anonymous { return nil }
        // What is about the caller alone may end the caller's session or account.
        let endsAccount = row.method == .delete && row.path == "/v1/me"
        if row.kind == .none, actor == .stranger || endsAccount && actor != .deactivated {
            return try await server.person("somebody")
        }
        return try person(actor)
    }

    private func openStream(as caller: LivePerson?) async throws -> Reply {
        let nobody = LivePerson(id: UUID(), name: "", session: UUID(), token: "")
        let stream = try await server.stream(of: caller ?? nobody)
        defer { stream.cut() }
        _ = await stream.next()
        let status = stream.head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Reply(status: status ?? 0, body: Data(stream.body.utf8))
    }

    private func fill(_ text: String, _ row: RightsTable.Row, _ caller: LivePerson?, _ room: Room?) -> String {
        let message = row.isNewMessage ? UUID() : room?.messageID ?? UUID()
        let parts: [(String, String)] = [
            ("{conversationId}", "\(WireID(room?.id ?? UUID()))"), ("{messageId}", "\(WireID(message))"),
            ("{attachmentId}", "\(WireID(UUID()))"), ("{deviceId}", "\(WireID(UUID()))"), ("{provider}", "nobody"),
            ("{code}", room?.code ?? InviteCode(of: UUID()).text),
            ("{userId}", "\(WireID(id(of: row.target, caller)))"), ("{outsiderId}", "\(WireID(outsider.id))"),
            ("{sessionId}", "\(WireID(caller?.session ?? UUID()))"),
            ("{othersSessionId}", "\(WireID(outsider.session))"),
            ("{tomorrow}", Timestamp.format(Date().addingTimeInterval(86_400))),
            ("{emoji}", "%F0%9F%91%8D"), ("{newEmail}", "\(WireID(UUID()))@example.org"),
        ]
        return parts.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    private func id(of target: Target, _ caller: LivePerson?) -> UUID {
        switch target {
        case .bystander: bystander.id
        case .secondOwner: secondOwner.id
        case .outsider: outsider.id
        case .nobody: UUID()
        case .caller: caller?.id ?? UUID()
        }
    }
}

extension LiveServer {
    /// Closes an account, with all that is signed in to it.
    func deactivate(_ person: LivePerson) async throws {
        _ = try await identity.deactivate(person.id)
    }
}
