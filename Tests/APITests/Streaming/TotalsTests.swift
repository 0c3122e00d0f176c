import ParleyWire
import TestSupport
import Testing

/// How much somebody has not read in all, as the stream tells it.
@Suite(.database, .timeLimit(.minutes(10))) struct TotalsTests {
    private func nextUnread(_ stream: LiveStream) async throws -> StreamEvent.UnreadUpdated {
        guard case .unreadUpdated(let unread) = try await stream.next(.unreadUpdated) else {
            throw LiveStream.StreamOver()
        }
        return unread
    }

    @Test(arguments: [true, false])
    func `one's own message brings a cleared conversation back, and tells the total`(
        isThereWhenCleared: Bool
    ) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.say("Hi", people[0], in: group)
            try await server.waitForReadModels()
            var early: LiveStream?
            if isThereWhenCleared { early = try await server.readyStream(of: people[1]) }
            try await server.view(group, of: people[1], clears: true)
            try await server.waitForReadModels()
            let stream: LiveStream
            if let early {
                // That of the message may be told a moment late, to a stream that has begun since.
                while try await nextUnread(early).totalUnread != 0 {}
                stream = early
            } else {
                stream = try await server.readyStream(of: people[1])
            }
            try await server.say("Here I am", people[1], in: group)
            try await server.waitForReadModels()
            let fresh = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1])
            #expect(fresh.totalUnread == 1)
            // So may the total without the conversation.
            while try await nextUnread(stream).totalUnread != fresh.totalUnread {}
        }
    }
}
