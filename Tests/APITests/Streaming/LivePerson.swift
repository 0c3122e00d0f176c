import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Identity
import Messaging
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Somebody who uses a live server.
struct LivePerson: Sendable, Hashable {
    let id: UUID
    let name: String
    let session: UUID
    let token: String

    static func == (left: LivePerson, right: LivePerson) -> Bool { left.session == right.session }
    func hash(into hasher: inout Hasher) { hasher.combine(session) }
}

extension LiveServer {
    func person(_ name: String) async throws -> LivePerson {
        let registration = Registration(
            email: "\(UUID().uuidString.lowercased())@example.org",
            password: Secret("correct horse"),
            displayName: name
        )
        let signedIn = try await identity.register(registration)
        return LivePerson(
            id: signedIn.userID,
            name: name,
            session: signedIn.session.id,
            token: signedIn.accessToken.exposed
        )
    }

    func people(_ count: Int) async throws -> [LivePerson] {
        var people: [LivePerson] = []
        for number in 0..<count { people.append(try await person("Person \(number)")) }
        return people
    }

    @discardableResult
    func command(
        _ command: ConversationCommand,
        on id: UUID,
        by actor: UUID,
        as commandID: UUID = UUID(),
        at now: Date = Date()
    ) async throws -> Cursor {
        let context = CommandContext(commandID: commandID, actor: actor, now: now)
        return try await eventStore.handle(
            command,
            of: ConversationDecider.self,
            on: id,
            context: context,
            answer: { _ in }
        ).token
    }

    /// - Parameter neighbour: the new group shares its partition, so that its events come in order with the neighbour's.
    func startGroup(
        _ people: [LivePerson],
        visibility: HistoryVisibility = .all,
        besides neighbour: UUID? = nil
    ) async throws -> UUID {
        var id = UUID()
        let log = eventStore.identity
        while let neighbour, log.partition(of: id) != log.partition(of: neighbour) { id = UUID() }
        let start = StartGroup(
            owner: people[0].id,
            participants: people.dropFirst().map(\.id),
            name: "Group",
            icon: nil,
            joinPolicy: .open,
            historyVisibility: visibility,
            maxMembers: 1_000
        )
        try await command(.startGroup(start), on: id, by: people[0].id)
        return id
    }

    func say(
        _ text: String,
        _ person: LivePerson,
        in conversation: UUID,
        replyTo: MessageReference? = nil
    ) async throws {
        _ = try await ask(text, person, in: conversation, replyTo: replyTo)
    }

    /// Sends a message and returns its id.
    func ask(
        _ text: String,
        _ person: LivePerson,
        in conversation: UUID,
        replyTo: MessageReference? = nil,
        mentions: [UUID] = [],
        mentionsAll: Bool = false
    ) async throws -> UUID {
        SecretWatch.add(text)
        let id = UUID()
        let send = SendMessage(
            messageID: id,
            sender: person.id,
            text: text,
            replyTo: replyTo,
            mentions: mentions,
            mentionsAll: mentionsAll,
            clientTimestamp: nil
        )
        try await command(.send(send), on: conversation, by: person.id, as: id)
        return id
    }

    func add(_ person: LivePerson, to conversation: UUID, by actor: LivePerson) async throws {
        let put = PutParticipant(actor: actor.id, person: person.id, role: nil, maxMembers: 1_000)
        try await command(.putParticipant(put), on: conversation, by: actor.id)
    }

    func remove(_ person: LivePerson, from conversation: UUID, by actor: LivePerson) async throws {
        let remove = RemoveParticipant(actor: actor.id, person: person.id)
        try await command(.removeParticipant(remove), on: conversation, by: actor.id)
    }

    func rename(_ person: LivePerson, to name: String) async throws {
        let context = CommandContext(commandID: UUID(), actor: person.id, now: Date())
        let change = UserCommand.changeProfile(ProfileChange(displayName: name))
        _ = try await eventStore.handle(change, of: UserDecider.self, on: person.id, context: context) { _ in }
    }

    func shareReading(_ isShared: Bool, _ person: LivePerson) async throws {
        let context = CommandContext(commandID: UUID(), actor: person.id, now: Date())
        let change = UserCommand.changeProfile(ProfileChange(readReceipts: isShared))
        _ = try await eventStore.handle(change, of: UserDecider.self, on: person.id, context: context) { _ in }
    }

    func read(_ conversation: UUID, upTo seq: Int64, by person: LivePerson) async throws {
        let advance = ReceiptAdvance(person: person.id, deliveredSeq: seq, readSeq: seq)
        try await command(.advanceReceipts([advance]), on: conversation, by: person.id)
    }

    func view(
        _ conversation: UUID,
        of person: LivePerson,
        mutedUntil: Date? = nil,
        archived: Bool? = nil,
        clears: Bool = false
    ) async throws {
        let change = ChangeView(
            person: person.id,
            mutedUntil: mutedUntil.map { .set($0) } ?? .unchanged,
            archived: archived,
            clears: clears,
            now: Timestamp.truncate(Date())
        )
        try await command(.changeView(change), on: conversation, by: person.id)
    }

    func markUnread(_ conversation: UUID, from seq: Int64, by person: LivePerson) async throws {
        try await command(.markUnread(MarkUnread(person: person.id, fromSeq: seq)), on: conversation, by: person.id)
    }

    /// Deletes a message for oneself, where one may.
    func hide(_ message: UUID, in conversation: UUID, by person: LivePerson) async throws {
        let response = try await client.execute(
            uri: "/v1/conversations/\(WireID(conversation))/messages/\(WireID(message))?for=me",
            method: .delete,
            headers: [.authorization: "Bearer \(person.token)"]
        )
        #expect([.noContent, .forbidden, .notFound, .unauthorized].contains(response.status))
    }

    func get(_ path: String, as person: LivePerson) async throws -> TestResponse {
        try await client.execute(uri: path, method: .get, headers: [.authorization: "Bearer \(person.token)"])
    }

    func get<Value: Decodable>(_ type: Value.Type, _ path: String, as person: LivePerson) async throws -> Value {
        let response = try await get(path, as: person)
        try #require(response.status == .ok, "\(String(buffer: response.body))")
        return try WireJSON.decoder().decode(type, from: Data(response.body.readableBytesView))
    }
}
