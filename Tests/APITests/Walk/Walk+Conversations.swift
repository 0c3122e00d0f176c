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
        let answer = try await ask(
            .put,
            "/v1/conversations/\(WireID(id))",
            founders[0],
            [
                "groupName": .string("Group"),
                "participantIds": .array(founders.dropFirst().map { .string($0.wireID) }),
                "joinPolicy": .string(random.chance(50) ? "open" : "invite"),
                "historyVisibility": .string(showsAll ? "all" : "joined"),
            ]
        )
        guard answer.isDone else { return }
        world.start(id, Set(founders.map(\.id)), isGroup: true, showsAll: showsAll)
        rooms.append(id)
    }

    mutating func startDirect() async throws {
        let (one, other) = pair()
        let answer = try await ask(.put, "/v1/conversations/direct/\(other.wireID)", one)
        guard answer.isDone else { return }
        let id = try answer.decode(Conversation.self).id.uuid
        world.start(id, [one.id, other.id], isGroup: false)
        if !rooms.contains(id) { rooms.append(id) }
    }

    mutating func changeGroup() async throws {
        let room = anyRoom()
        var body: [String: JSONValue] = [:]
        var showsAll: Bool?
        switch Int.random(in: 0..<6, using: &random) {
        case 0: body["groupName"] = .string("Group \(Int.random(in: 0..<100, using: &random))")
        case 1:
            showsAll = random.chance(50)
            body["historyVisibility"] = .string(showsAll == true ? "all" : "joined")
        case 2: body["permissions"] = ["send": .string(random.chance(30) ? "admins" : "everyone")]
        case 3: body["retentionSeconds"] = random.chance(50) ? .null : .number(86_400)
        case 4: body["joinPolicy"] = .string(random.chance(50) ? "open" : "invite")
        default: body["slowModeSeconds"] = random.chance(80) ? .null : .number(1)
        }
        _ = try await ask(.patch, path(room), anyone(), .object(body)) { world in
            if let showsAll { world.change(room, showsAll: showsAll) }
        }
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
