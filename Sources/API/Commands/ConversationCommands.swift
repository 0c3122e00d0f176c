import EventSourcing
import EventStore
import Foundation
import Identity
import Live
import Messaging

/// Gives commands to conversations in the name of a caller.
struct ConversationCommands: Sendable {
    let eventStore: EventStore
    let identity: Identity
    let clock: CommandClock

    func handle<Answer: Sendable>(
        _ command: ConversationCommand,
        on conversation: UUID,
        by actor: UUID,
        commandID: UUID? = nil,
        furtherIDs: [UUID] = [],
        causationID: UUID? = nil,
        content: [UInt8]? = nil,
        answer: @escaping @Sendable (Conversation) -> Answer
    ) async throws -> Handled<Answer> {
        try await eventStore.handle(
            command,
            of: ConversationDecider.self,
            on: conversation,
            context: clock.context(
                actor: actor,
                commandID: commandID,
                furtherIDs: furtherIDs,
                causationID: causationID,
                content: content
            ),
            answer: answer
        )
    }

    /// Gives a command that sends messages, in the name of their sender.
    ///
    /// - Parameters:
    ///   - ids: the messages', in their order; the first one is the command's.
    ///   - causationID: what it follows from, where the sender did not ask for it right now.
    func send(
        _ command: ConversationCommand,
        as ids: [UUID],
        to conversation: UUID,
        by sender: UUID,
        causationID: UUID? = nil,
        content: [UInt8]
    ) async throws -> Handled<Void> {
        do {
            let handled = try await handle(
                command,
                on: conversation,
                by: sender,
                commandID: ids.first,
                furtherIDs: Array(ids.dropFirst()),
                causationID: causationID,
                content: content
            ) { _ in }
            if handled.isReplay, case .messageSent(let first) = handled.events.first?.conversationEvent,
                first.text == nil
            {
                try await compare(command, as: ids, in: conversation)
            }
            return handled
        } catch CommandError.idConflict {
            // Only a member is told which ids are in use.
            try await require(.send, by: sender, in: conversation)
            throw CommandError.idConflict
        }
    }

    /// Those of these people that there are not.
    func unknownPeople(_ people: [UUID]) async throws -> Set<UUID> {
        Set(people).subtracting(try await eventStore.existing(people, category: .user))
    }

    /// Those of these people who cannot be brought into a conversation: there is no such person, or the account is closed.
    /// That a closed account was one is told to nobody.
    ///
    /// - Parameters:
    ///   - conversation: whose start this may be; where it has begun, who has closed an account since was in it in
    ///     time, and repeating the start is answered like the first time.
    ///   - actor: whom some of them may have blocked: to that person they are not there.
    func unavailablePeople(
        _ people: [UUID],
        startingIn conversation: UUID,
        by actor: UUID
    ) async throws -> Set<UUID> {
        let unknown = try await unknownPeople(people)
        let gone = try await identity.deactivated(among: people).union(blockers(of: actor, among: people))
        guard !gone.isEmpty, try await !hasBegun(conversation, askedBy: actor) else { return unknown }
        return unknown.union(gone)
    }

    private func hasBegun(_ conversation: UUID, askedBy actor: UUID) async throws -> Bool {
        // A log of its own it may have before: of who blocks whom.
        guard try await !eventStore.existing([conversation], category: .conversation).isEmpty else { return false }
        do {
            return try await handle(.advanceReceipts([]), on: conversation, by: actor) { $0.exists }.answer
        } catch ConversationRejection.notFound {
            return false
        }
    }

    /// Those of these people who have blocked a person, by the log.
    private func blockers(of person: UUID, among people: [UUID]) async throws -> Set<UUID> {
        let pairs = Set(people).subtracting([person]).map { DerivedID.directConversation(person, $0) }
        let newest = try await eventStore.log.newest(
            of: ConversationEvent.typesOfBlocks,
            about: person,
            in: pairs,
            category: .conversation
        )
        return newest.reduce(into: []) { blockers, record in
            if case .blockChanged(let changed) = record.conversationEvent, changed.isBlocked {
                blockers.insert(changed.person)
            }
        }
    }

    /// As for a start, but that a member stays a member, whose role may change.
    func isUnavailable(_ person: UUID, addedBy actor: UUID, to conversation: UUID) async throws -> Bool {
        guard try await unknownPeople([person]).isEmpty else { return true }
        let gone = try await identity.deactivated(among: [person]).union(blockers(of: actor, among: [person]))
        guard !gone.isEmpty else { return false }
        // Advancing nobody's marks changes nothing; only the state that it is decided against is of interest.
        let handled = try await handle(.advanceReceipts([]), on: conversation, by: actor) { $0.members[person] == nil }
        return handled.answer
    }

    /// The command id that stands for a client's `Idempotency-Key`, if there is one.
    func commandID(for key: UUID?, of actor: UUID) -> UUID? {
        key.map { DerivedID.command(actor: actor, key: $0) }
    }
}

extension ConversationCommands {
    /// Checks a right against the log, as strictly as a command would.
    func require(_ action: ConversationAction, by person: UUID, in conversation: UUID) async throws {
        try await state(of: conversation, for: person) { state throws(ConversationRejection) in
            try state.require(action, by: person)
        }
    }

    /// As ``require(_:by:in:)``; who has passed the position sees the conversation as it was checked.
    func position(allowing action: ConversationAction, by person: UUID, in conversation: UUID) async throws -> Cursor {
        let handled = try await handle(.advanceReceipts([]), on: conversation, by: person) { state in
            Result { () throws(ConversationRejection) in try state.require(action, by: person) }
        }
        try handled.answer.get()
        return handled.token
    }

    /// What the log says of a conversation now, as a command would be decided.
    func state<Answer: Sendable>(
        of conversation: UUID,
        for person: UUID,
        read: @escaping @Sendable (Conversation) throws(ConversationRejection) -> Answer
    ) async throws -> Answer {
        // Advancing nobody's marks changes nothing; only the state that it is decided against is of interest.
        let handled = try await handle(.advanceReceipts([]), on: conversation, by: person) { state in
            Result { () throws(ConversationRejection) in try read(state) }
        }
        return try handled.answer.get()
    }
}
