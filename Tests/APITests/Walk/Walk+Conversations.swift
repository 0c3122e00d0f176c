import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// What is done with conversations, and by each with the own view of them.
extension Walk {
    mutating func startGroup(showsAll: Bool) async throws {
        let founders = Array(people.shuffled(using: &random).prefix(Int.random(in: 3...5, using: &random)))
        let id = UUID()
        let joinPolicy: GroupJoinPolicy = random.chance(50) ? .open : .invite
        let answer = try await ask(
            .put,
            "/v1/conversations/\(WireID(id))",
            founders[0],
            [
                "groupName": .string("Group"),
                "participantIds": .array(founders.dropFirst().map { .string($0.wireID) }),
                "joinPolicy": .string(joinPolicy.rawValue),
                "historyVisibility": .string(showsAll ? "all" : "joined"),
            ],
            as: .startGroup
        )
        guard answer.isDone else { return }
        world.start(
            id,
            founders.map(\.id),
            WalkSettings(groupName: "Group", joinPolicy: joinPolicy, showsAll: showsAll, by: founders[0].id)
        )
        rooms.append(id)
    }

    mutating func startDirect() async throws {
        let (one, other) = pair()
        let answer = try await ask(.put, "/v1/conversations/direct/\(other.wireID)", one, as: .startDirect)
        guard answer.isDone else { return }
        let id = try answer.decode(Conversation.self).id.uuid
        world.start(id, [one.id, other.id], WalkSettings())
        if !rooms.contains(id) { rooms.append(id) }
    }

    private static let changes: [WalkCommand] = [
        .rename, .changeIcon, .changeHistoryVisibility, .changeHistoryVisibility, .permit, .permit, .permit, .keep,
        .changeJoinPolicy, .slowDown,
    ]

    /// - Parameter command: which change; nil for any.
    mutating func changeGroup(_ command: WalkCommand? = nil) async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        let command = command ?? Self.changes[Int.random(in: Self.changes.indices, using: &random)]
        var settings = world.rooms[room]?.settings ?? WalkSettings()
        let body = try await change(&settings, command, by: actor)
        _ = try await ask(.patch, path(room), actor, .object(body), as: command) { $0.change(room, to: settings) }
    }

    /// - Returns: what asks for the change.
    private mutating func change(
        _ settings: inout WalkSettings,
        _ command: WalkCommand,
        by actor: LivePerson
    ) async throws -> [String: JSONValue] {
        switch command {
        case .rename:
            let name = "Group \(Int.random(in: 0..<100, using: &random))"
            settings.name(name, by: actor.id)
            return ["groupName": .string(name)]
        case .changeIcon:
            settings.show(try await picture(of: actor), by: actor.id)
            return ["groupIcon": Self.name(settings.icon)]
        case .changeHistoryVisibility:
            let showsAll = random.chance(50)
            settings.historyVisibility = GroupHistoryVisibility(rawValue: showsAll ? "all" : "joined")
            return ["historyVisibility": .string(showsAll ? "all" : "joined")]
        case .permit: return ["permissions": permit(&settings)]
        case .keep:
            settings.retention = random.chance(50) ? nil : 86_400
            return ["retentionSeconds": settings.retention.map { JSONValue.number(Double($0)) } ?? .null]
        case .changeJoinPolicy:
            settings.joinPolicy = random.chance(50) ? .open : .invite
            return ["joinPolicy": .string(settings.joinPolicy == .open ? "open" : "invite")]
        default:
            settings.slowMode = random.chance(80) ? 0 : 1
            return ["slowModeSeconds": settings.slowMode == 0 ? .null : .number(1)]
        }
    }

    /// - Returns: what asks for one permission, or two.
    private mutating func permit(_ settings: inout WalkSettings) -> JSONValue {
        let names: [(String, WritableKeyPath<GroupPermissions, PermittedMembers>)] = [
            ("send", \.send), ("addMembers", \.addMembers), ("changeInfo", \.changeInfo), ("pin", \.pin),
        ]
        var asked: [String: JSONValue] = [:]
        for (name, path) in names.shuffled(using: &random).prefix(random.chance(50) ? 1 : 2) {
            let permitted: PermittedMembers = random.chance(name == "send" ? 30 : 50) ? .admins : .everyone
            settings.permissions?[keyPath: path] = permitted
            asked[name] = .string(permitted.rawValue)
        }
        return .object(asked)
    }

    mutating func changeMembers() async throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try await putParticipant(hasRole: true)
        case 1, 2: try await putParticipant(hasRole: false)
        case 3: try await removeParticipant()
        case 4: try await leave()
        default: try await join()
        }
    }

    mutating func putParticipant(hasRole: Bool) async throws {
        let room = anyRoom()
        let (actor, other) = pair()
        let roles: [ParticipantRole] = [.owner, .admin, .member]
        let role = hasRole ? roles[Int.random(in: roles.indices, using: &random)] : nil
        let isMember = isMember(other, of: room)
        let path = "\(path(room))/participants/\(other.wireID)"
        let body = role.map { JSONValue.object(["role": .string($0.rawValue)]) }
        let command: WalkCommand? = isMember ? (hasRole ? .changeRole : nil) : .addParticipant
        _ = try await ask(.put, path, actor, body, as: command) { $0.put(other.id, room, as: role) }
    }

    mutating func removeParticipant() async throws {
        let room = anyRoom()
        let (actor, other) = pair()
        let path = "\(path(room))/participants/\(other.wireID)"
        let command: WalkCommand? = isMember(other, of: room) ? .removeParticipant : nil
        _ = try await ask(.delete, path, actor, as: command) { $0.leave(other.id, room) }
    }

    mutating func leave() async throws {
        let room = anyRoom()
        let actor = anyone()
        _ = try await ask(.post, "\(path(room))/leave", actor, as: .leave) { $0.leave(actor.id, room) }
    }

    mutating func join() async throws {
        let room = anyRoom()
        let actor = anyone()
        let command: WalkCommand? = isMember(actor, of: room) ? nil : .join
        _ = try await ask(.post, "\(path(room))/join", actor, as: command) { $0.join(actor.id, room) }
    }

    private func isMember(_ person: LivePerson, of room: UUID) -> Bool {
        world.rooms[room]?.members.contains(person.id) == true
    }

    mutating func invite() async throws {
        guard random.chance(50), let invite = invites.randomElement(using: &random) else {
            return try await makeInvite()
        }
        guard random.chance(80) else { return try await endInvite() }
        let actor = anyone()
        _ = try await ask(.get, "/v1/invites/\(invite.code)", actor, as: .previewInvite)
        let command: WalkCommand? = isMember(actor, of: invite.room) ? nil : .joinByInvite
        _ = try await ask(.post, "/v1/invites/\(invite.code)/join", actor, as: command) {
            $0.join(actor.id, invite.room)
        }
    }

    mutating func makeInvite() async throws {
        let room = anyRoom()
        let body: JSONValue = ["maxUses": .number(2)]
        let answer = try await ask(.post, "\(path(room))/invites", anyone(), body, as: .makeInvite)
        if answer.isDone { invites.append((room, try answer.decode(Invite.self).code)) }
    }

    mutating func endInvite() async throws {
        guard let invite = invites.randomElement(using: &random) else { return }
        _ = try await ask(.delete, "\(path(invite.room))/invites/\(invite.code)", anyone(), as: .endInvite)
    }

    mutating func changeOwnView() async throws {
        let path = path(anyRoom())
        let actor = anyone()
        let (_, draft) = world.text(by: actor.id)
        let changes: [JSONValue] = [
            ["archived": .bool(true)], ["archived": .bool(false)], ["pinned": .bool(true)], ["pinned": .bool(false)],
            ["notificationLevel": .string("mentions")], ["mutedUntil": .null],
            ["mutedUntil": .string("2099-01-01T00:00:00Z")],
            ["draft": .string(draft)], ["draft": .null],
        ]
        if random.chance(85) {
            let change = changes[Int.random(in: changes.indices, using: &random)]
            _ = try await ask(.patch, "\(path)/me", actor, change, as: .changeView)
        } else {
            _ = try await ask(.delete, "\(path)/me", actor, as: .clear)
        }
    }
}
