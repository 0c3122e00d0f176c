import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

/// What is published to somebody's devices of the own view of a conversation when much changes at once.
@Suite(.database, .timeLimit(.minutes(5))) struct PublishedViewsTests {
    private func draft(_ text: String, _ person: LivePerson, in room: UUID, _ server: LiveServer) async throws {
        SecretWatch.add(text)
        let answer = try await server.client.execute(
            uri: "/v1/conversations/\(WireID(room))/me",
            method: .patch,
            headers: [.authorization: "Bearer \(person.token)", .contentType: "application/json"],
            body: ByteBuffer(string: #"{"draft": "\#(text)"}"#)
        )
        #expect(answer.status == .ok)
    }

    @Test func `drafts, marks and views that cross end as they are`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let room = try await server.startGroup(people)
            for number in 1...30 { try await server.say("Message \(number)", people[0], in: room) }
            try await server.waitForReadModels()
            let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1])
            let stream = try await server.readyStream(of: people[1], since: snapshot.cursor)
            for number in 1...30 {
                async let drafted: Void = draft("Draft no. \(number)", people[1], in: room, server)
                async let read: Void = server.read(room, upTo: Int64(number), by: people[1])
                async let viewed: Void = server.view(room, of: people[1], archived: number.isMultiple(of: 2))
                _ = try await (drafted, read, viewed)
            }
            try await server.say("The last one", people[0], in: room)
            try await server.waitForReadModels()
            let fresh = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1]).conversations[0].conversation
                .me
            #expect(fresh.readSeq == 30 && fresh.draft == "Draft no. 30" && !fresh.archived)
            var reducer = ReferenceReducer(snapshot)
            var isOver = false
            // Where it ended otherwise, nothing more would come.
            while !isOver || reducer.rooms[WireID(room)]?.conversation.me != fresh {
                let event = try StreamEvent(try #require(await stream.next()))
                reducer.apply(event)
                if case .messageCreated(let created) = event, created.message.text == "The last one" { isOver = true }
            }
        }
    }

    @Test func `a draft that clearing ends is told to be gone`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let room = try await server.startGroup(people)
            try await server.waitForReadModels()
            let stream = try await server.readyStream(of: people[1])
            try await draft("Not sent", people[1], in: room, server)
            let answer = try await server.client.execute(
                uri: "/v1/conversations/\(WireID(room))/me",
                method: .delete,
                headers: [.authorization: "Bearer \(people[1].token)"]
            )
            #expect(answer.status == .noContent)
            while case .memberUpdated(let updated) = try await stream.next(.memberUpdated) {
                if updated.me.cleared, updated.me.draft == nil { break }
            }
        }
    }
}
