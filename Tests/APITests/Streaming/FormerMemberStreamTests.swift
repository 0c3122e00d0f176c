import EventStore
import Foundation
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

/// What somebody is told late who has left a group meanwhile.
@Suite(.database, .timeLimit(.minutes(10))) struct FormerMemberStreamTests {
    @Test func `who comes back after being removed is told of nothing that became of the group since`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let (owner, other, removed) = (people[0], people[1], people[2])
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let cursor = try await server.get(SyncSnapshot.self, "/v1/sync", as: removed).cursor
            func promote(to role: Role) async throws {
                let put = PutParticipant(actor: owner.id, person: other.id, role: role, maxMembers: 1_000)
                try await server.command(.putParticipant(put), on: group, by: owner.id)
            }
            func rename(to name: String) async throws {
                let change = ChangeGroup(
                    actor: owner.id,
                    name: name,
                    icon: .unchanged,
                    joinPolicy: nil,
                    historyVisibility: nil
                )
                try await server.command(.changeGroup(change), on: group, by: owner.id)
            }
            try await promote(to: .admin)
            try await rename(to: "Meanwhile")
            try await server.remove(removed, from: group, by: owner)
            try await promote(to: .owner)
            try await rename(to: "Afterwards")
            try await server.waitForReadModels()

            let delta = try await server.get(SyncDelta.self, "/v1/sync?since=\(cursor)", as: removed)
            var roles: [ParticipantRole] = []
            var names: [String?] = []
            for item in delta.events {
                if case .participantUpdated(let changed) = item.event { roles.append(changed.participant.role) }
                if case .conversationUpdated(let changed) = item.event { names.append(changed.conversation.groupName) }
            }
            #expect(roles == [.admin] && names == ["Meanwhile"])
            #expect(delta.events.contains { $0.event.knownName == .conversationRemoved })
        }
    }
}
