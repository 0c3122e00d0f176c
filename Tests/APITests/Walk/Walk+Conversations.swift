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
            ]
        )
        guard answer.isDone else { return }
        world.start(
            id,
            Set(founders.map(\.id)),
            WalkSettings(groupName: "Group", joinPolicy: joinPolicy, showsAll: showsAll, by: founders[0].id)
        )
        rooms.append(id)
    }

    mutating func startDirect() async throws {
        let (one, other) = pair()
        let answer = try await ask(.put, "/v1/conversations/direct/\(other.wireID)", one)
        guard answer.isDone else { return }
        let id = try answer.decode(Conversation.self).id.uuid
        world.start(id, [one.id, other.id], WalkSettings())
        if !rooms.contains(id) { rooms.append(id) }
    }

    mutating func changeGroup() async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        var settings = world.rooms[room]?.settings ?? WalkSettings()
        let body = try await change(&settings, by: actor)
        _ = try await ask(.patch, path(room), actor, .object(body)) { $0.change(room, to: settings) }
    }

    /// - Returns: what asks for the change.
    private mutating func change(
        _ settings: inout WalkSettings,
        by actor: LivePerson
    ) async throws -> [String: JSONValue] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let name = "Group \(Int.random(in: 0..<100, using: &random))"
            settings.name(name, by: actor.id)
            return ["groupName": .string(name)]
        case 1:
            settings.show(try await picture(of: actor), by: actor.id)
            return ["groupIcon": Self.name(settings.icon)]
        case 2, 3:
            let showsAll = random.chance(50)
            settings.historyVisibility = GroupHistoryVisibility(rawValue: showsAll ? "all" : "joined")
            return ["historyVisibility": .string(showsAll ? "all" : "joined")]
        case 4, 5, 6: return ["permissions": permit(&settings)]
        case 7:
            settings.retention = random.chance(50) ? nil : 86_400
            return ["retentionSeconds": settings.retention.map { JSONValue.number(Double($0)) } ?? .null]
        case 8:
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
        let room = anyRoom()
        let (actor, other) = pair()
        let path = path(room)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let role = ["owner", "admin", "member"][Int.random(in: 0..<3, using: &random)]
            _ = try await ask(.put, "\(path)/participants/\(other.wireID)", actor, ["role": .string(role)]) {
                $0.join(other.id, room)
            }
        case 1, 2:
            _ = try await ask(.put, "\(path)/participants/\(other.wireID)", actor) { $0.join(other.id, room) }
        case 3:
            _ = try await ask(.delete, "\(path)/participants/\(other.wireID)", actor) { $0.leave(other.id, room) }
        case 4:
            _ = try await ask(.post, "\(path)/leave", actor) { $0.leave(actor.id, room) }
        default:
            _ = try await ask(.post, "\(path)/join", actor) { $0.join(actor.id, room) }
        }
    }

    mutating func invite() async throws {
        if random.chance(50), let invite = invites.randomElement(using: &random) {
            let actor = anyone()
            guard random.chance(80) else {
                _ = try await ask(.delete, "\(path(invite.room))/invites/\(invite.code)", actor)
                return
            }
            _ = try await ask(.get, "/v1/invites/\(invite.code)", actor)
            _ = try await ask(.post, "/v1/invites/\(invite.code)/join", actor) { $0.join(actor.id, invite.room) }
            return
        }
        let room = anyRoom()
        let answer = try await ask(.post, "\(path(room))/invites", anyone(), ["maxUses": .number(2)])
        if answer.isDone { invites.append((room, try answer.decode(Invite.self).code)) }
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
            _ = try await ask(.patch, "\(path)/me", actor, changes[Int.random(in: changes.indices, using: &random)])
        } else {
            _ = try await ask(.delete, "\(path)/me", actor)
        }
    }
}
