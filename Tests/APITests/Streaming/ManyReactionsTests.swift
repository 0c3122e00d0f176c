import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messaging
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API

@Suite(.database, .timeLimit(.minutes(10))) struct `A message with ten thousand reactions` {
    /// As many as a message may have.
    private static let kinds = (0..<React.maxKinds).compactMap { place in
        Unicode.Scalar(UInt32(0x1F600 + place)).flatMap { Emoji(String(Character($0))) }
    }
    /// With 50 named for each kind.
    private static let mostBytes = 64 * 1_024

    @Test func `is answered, told and caught up with within bounds, and counts them all`() async throws {
        try await LiveServer.with { server in
            let people = try await server.manyPeople(500)
            let ada = people[0]
            let group = try await server.startGroup(people)
            let message = try await server.ask("Who comes?", ada, in: group)
            try await server.waitForReadModels()
            let early = try await server.readyStream(of: ada)
            let cursor = early.lastID
            early.cut()
            let rest = people.suffix(2)
            var facts = try await server.facts(of: message, by: ada, in: group)
            for kind in Self.kinds {
                facts = try await server.react(kind, people.dropLast(2), to: facts, in: group)
            }
            let live = try await server.readyStream(of: ada)
            for kind in Self.kinds { facts = try await server.react(kind, rest, to: facts, in: group) }
            // Read from the log, and not from what the test knows.
            let path = "/v1/conversations/\(WireID(group))/messages/\(WireID(message))"
            try await server.waitForReadModels()
            let answer = try await server.get(path, as: ada)
            #expect(answer.body.readableBytes < Self.mostBytes)
            let read = try await server.get(Message.self, path, as: ada)
            try Self.expectAll(read.reactions)
            let page = try await server.get(
                HistoryPage.self,
                "/v1/conversations/\(WireID(group))/messages",
                as: people[499]
            )
            try Self.expectAll(page.items.first { $0.id == WireID(message) }?.reactions)
            try await Self.expectAll(live)
            // Of each page of the log the last reaction says it all.
            let late = try await server.readyStream(of: ada, since: cursor)
            let updates = late.parsed.events.filter { $0.name == StreamEventName.reactionUpdated.rawValue }
            #expect((1...100).contains(updates.count))
            guard case .reactionUpdated(let last) = try updates.last.map({ try StreamEvent($0) }) else {
                throw LiveStream.StreamOver()
            }
            try Self.expectAll(last.reactions)
            #expect(updates.allSatisfy { $0.data.utf8.count < Self.mostBytes })
            try await Self.refuseMore(path, ada, server)
        }
    }

    /// Reads on until all are received.
    private static func expectAll(_ stream: LiveStream) async throws {
        while true {
            guard case .reactionUpdated(let update) = try await stream.next(.reactionUpdated) else { continue }
            guard update.reactions.allSatisfy({ $0.count == 500 }) else { continue }
            return try expectAll(update.reactions)
        }
    }

    private static func expectAll(_ reactions: [Reaction]?) throws {
        let reactions = try #require(reactions)
        #expect(reactions.map(\.emoji) == kinds.map(\.text))
        #expect(reactions.allSatisfy { $0.count == 500 && $0.userIds.count == 50 && $0.mine })
    }

    /// No kind more, and none twice.
    private static func refuseMore(_ path: String, _ ada: LivePerson, _ server: LiveServer) async throws {
        for (emoji, status) in [("%F0%9F%91%8D", HTTPResponse.Status.unprocessableContent), ("%F0%9F%98%80", .ok)] {
            let answer = try await server.client.execute(
                uri: "\(path)/reactions/\(emoji)",
                method: .put,
                headers: [.authorization: "Bearer \(ada.token)"]
            )
            #expect(answer.status == status && answer.body.readableBytes < mostBytes)
        }
    }
}

extension LiveServer {
    /// As ``people(_:)``, several at once.
    fileprivate func manyPeople(_ count: Int) async throws -> [LivePerson] {
        try await withThrowingTaskGroup(of: [LivePerson].self) { group in
            for _ in 0..<10 { group.addTask { try await people(count / 10) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    fileprivate func version(of group: UUID, by person: LivePerson) async throws -> Int64 {
        let context = CommandContext(commandID: UUID(), actor: person.id, now: Date())
        return try await eventStore.handle(
            .advanceReceipts([]),
            of: ConversationDecider.self,
            on: group,
            context: context,
            answer: { $0.version }
        ).answer
    }

    /// What the log says of a message that is the first, and has no reactions.
    fileprivate func facts(of message: UUID, by sender: LivePerson, in group: UUID) async throws -> [MessageFacts] {
        let facts = MessageFacts(
            id: message,
            seq: 1,
            sender: sender.id,
            sentAt: Date(),
            version: try await version(of: group, by: sender)
        )
        return [facts, facts]
    }

    /// Has people react, fifty at once.
    ///
    /// - Parameter facts: as of before the last fifty, and of now: what happened since the former the conversation knows itself.
    fileprivate func react(
        _ emoji: Emoji,
        _ people: some Collection<LivePerson>,
        to facts: [MessageFacts],
        in group: UUID
    ) async throws -> [MessageFacts] {
        var facts = facts
        var rest = Array(people)[...]
        while let person = rest.first {
            let known = facts[0]
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for person in rest.prefix(50) {
                    let react = React(message: known, person: person.id, emoji: emoji, isAdded: true)
                    tasks.addTask { _ = try await command(.react(react), on: group, by: person.id) }
                }
                try await tasks.waitForAll()
            }
            rest = rest.dropFirst(50)
            let now = MessageFacts(
                id: known.id,
                seq: known.seq,
                sender: known.sender,
                sentAt: known.sentAt,
                version: try await version(of: group, by: person)
            )
            facts = [facts[1], now]
        }
        return facts
    }
}
