package import Attachments
import EventSourcing
package import EventStore
package import Foundation
package import Identity
import Messaging
import Reactors
package import ReadModels

/// Erases people: takes the account, notes it in the log and every conversation, and destroys the key that sealed what they
/// said.
///
/// Each step may be repeated, by anyone and at any time: whatever cuts an erasure short, `parley.erasures` has it until
/// somebody has finished it. The order keeps promises to others: nobody sees a text again after having received the
/// erasure, and nothing that was sealed is lost before every conversation has it. Which ones those are says the log itself:
/// no read model that has stopped, or is behind, can keep a text.
package struct Eraser: Sendable {
    /// All is erased and the key is gone; but some read models have not come so far yet, and show what they showed.
    package struct ReadModelsLag: Error, CustomStringConvertible {
        package var description: String { "the read models do not keep up with the log" }
    }

    private static let patience: Duration = .seconds(20)
    /// Conversations that are worked on at once.
    private static let width = 16

    private let identity: Identity
    private let eventStore: EventStore
    private let checkpoints: Checkpoints
    private let attachments: Attachments

    package init(identity: Identity, eventStore: EventStore, checkpoints: Checkpoints, attachments: Attachments) {
        self.attachments = attachments
        self.identity = identity
        self.eventStore = eventStore
        self.checkpoints = checkpoints
    }

    package var erasures: Erasures { identity.erasures }

    /// Takes the account and ends its sessions; the rest is then certain to follow.
    ///
    /// - Returns: false where there is no such account.
    package func begin(_ person: UUID) async throws -> Bool {
        guard try await identity.beginErasure(of: person) else { return false }
        eventStore.forget(person)
        return true
    }

    /// What an erasure did.
    package struct Report: Sendable, Equatable {
        /// Conversations in which the member was erased now.
        package var conversations = 0
    }

    /// Carries an erasure out that was begun.
    ///
    /// - Throws: the error of some conversation in which it was not possible, when all others are done; ``ReadModelsLag``.
    @discardableResult
    package func carryOut(_ person: UUID) async throws -> Report {
        let begun = try await eventStore.handle(
            .erase,
            of: UserDecider.self,
            on: person,
            context: context(person, causationID: nil),
            answer: { _ in }
        )
        var positions = begun.token.positions
        // Who is told of it in a conversation asks who the person is. A read model that stands still must not keep the texts.
        _ = try await checkpoints.wait(for: positions, timeout: Self.patience)
        let report = Report(conversations: try await eraseFromConversations(person, reaching: &positions))
        try await eventStore.destroyKey(of: person)
        try await attachments.forget(person)
        try await Drafts(pool: eventStore.pool, keyring: eventStore.keyring).forget(person)
        try await Reports(pool: eventStore.pool, keyring: eventStore.keyring).forget(person)
        try await Stars(pool: eventStore.pool).forget(person)
        try await PresenceRows(pool: eventStore.pool).forget(person)
        try await QuietHoursRows(pool: eventStore.pool).forget(person)
        try await Devices.forget(person, on: eventStore.pool)
        try await ScheduledMessages(eventStore).forget(person)
        guard try await checkpoints.wait(for: positions, timeout: Self.patience) else { throw ReadModelsLag() }
        try await erasures.markErased(person)
        return report
    }

    /// Checks for what came in while not every process knew of the erasure, such as an invitation.
    package func recheck(_ person: UUID) async throws {
        try await carryOut(person)
        try await erasures.markComplete(person)
    }

    /// Carries out all erasures that were begun and not finished, whoever is at work on them.
    ///
    /// - Returns: how many there were.
    package func finishAll() async throws -> Int {
        let unfinished = try await erasures.unfinished()
        for person in unfinished { try await carryOut(person) }
        return unfinished.count
    }

    /// Erases the person in all conversations, and looks again until there is no new one.
    ///
    /// - Parameter positions: by partition, what the read models are to pass.
    private func eraseFromConversations(
        _ person: UUID,
        reaching positions: inout [Int: Int64]
    ) async throws -> Int {
        var done: Set<UUID> = []
        var changed = 0
        while true {
            let conversations = try await eventStore.log.conversations(of: person).subtracting(done)
            guard !conversations.isEmpty else { return changed }
            for answer in try await eraseMember(person, in: Array(conversations)) {
                if !answer.isReplay { changed += 1 }
                positions.merge(answer.positions, uniquingKeysWith: max)
            }
            done.formUnion(conversations)
        }
    }

    /// What a conversation answered.
    private struct MemberErasure: Sendable {
        let isReplay: Bool
        let positions: [Int: Int64]
    }

    /// Erases the member wherever that is possible, whatever some others answer.
    private func eraseMember(_ person: UUID, in conversations: [UUID]) async throws -> [MemberErasure] {
        try await withThrowingTaskGroup(of: Result<MemberErasure, any Error>.self) { group in
            var rest = conversations[...]
            func start() {
                guard let conversation = rest.popFirst() else { return }
                group.addTask {
                    do {
                        return .success(try await eraseMember(person, in: conversation))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for _ in 0..<Self.width { start() }
            var results: [Result<MemberErasure, any Error>] = []
            while let result = try await group.next() {
                results.append(result)
                start()
            }
            return try results.map { try $0.get() }
        }
    }

    private func eraseMember(_ person: UUID, in conversation: UUID) async throws -> MemberErasure {
        let handled = try await eventStore.handle(
            .eraseMember(person),
            of: ConversationDecider.self,
            on: conversation,
            // In each conversation it follows from the person's own.
            context: context(person, causationID: DerivedID.erasure(of: person)),
            answer: { _ in }
        )
        return MemberErasure(isReplay: handled.isReplay, positions: handled.token.positions)
    }

    /// One id for the erasure in every stream: repeated, it is found to be done.
    private func context(_ person: UUID, causationID: UUID?) -> CommandContext {
        CommandContext(commandID: DerivedID.erasure(of: person), actor: nil, causationID: causationID, now: Date())
    }
}
