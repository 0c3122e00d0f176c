import EventSourcing
package import EventStore
package import Foundation
package import Identity
import Messaging
package import ReadModels

/// Erases people: takes the account, tells the log and every conversation, and destroys the key that sealed what they said.
///
/// Each step may be repeated, by anyone and at any time: whatever cuts an erasure short, `parley.erasures` has it until
/// somebody has finished it. The order keeps promises to others: nobody sees a text again after having heard of the erasure,
/// and nothing that was sealed is lost before every conversation has heard.
package struct Eraser: Sendable {
    /// The read models, behind which an erasure waits to find all conversations, do not move.
    package struct ReadModelsLag: Error, CustomStringConvertible {
        package var description: String { "the read models do not keep up with the log" }
    }

    private static let patience: Duration = .seconds(20)
    /// Conversations that are told at once.
    private static let width = 16

    private let identity: Identity
    private let eventStore: EventStore
    private let queries: Queries
    private let checkpoints: Checkpoints

    package init(identity: Identity, eventStore: EventStore, queries: Queries, checkpoints: Checkpoints) {
        self.identity = identity
        self.eventStore = eventStore
        self.queries = queries
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
        /// Conversations that were told now.
        package var conversations = 0
    }

    /// Carries an erasure out that was begun.
    @discardableResult
    package func carryOut(_ person: UUID) async throws -> Report {
        _ = try await eventStore.handle(
            .erase,
            of: UserDecider.self,
            on: person,
            context: context(person),
            answer: { _ in }
        )
        let report = Report(conversations: try await tellConversations(of: person))
        try await eventStore.destroyKey(of: person)
        try await erasures.markErased(person)
        return report
    }

    /// Looks for what came in while not every process had heard of the erasure, such as an invitation.
    package func lookAgain(_ person: UUID) async throws {
        try await carryOut(person)
        try await erasures.markSettled(person)
    }

    /// Carries out all erasures that were begun and not finished, whoever is at work on them.
    ///
    /// - Returns: how many there were.
    package func finishAll() async throws -> Int {
        let unfinished = try await erasures.unfinished()
        for person in unfinished { try await carryOut(person) }
        return unfinished.count
    }

    /// Tells all conversations, and looks again until there is no new one.
    private func tellConversations(of person: UUID) async throws -> Int {
        var told: Set<UUID> = []
        var changed = 0
        while true {
            try await catchUp()
            let conversations = try await queries.conversationsEver(of: person).subtracting(told)
            guard !conversations.isEmpty else { return changed }
            changed += try await tell(Array(conversations), of: person)
            told.formUnion(conversations)
        }
    }

    /// Waits until the read models show all that the log holds at this moment.
    private func catchUp() async throws {
        let heads = try await eventStore.log.heads()
        let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        guard try await checkpoints.wait(for: positions, timeout: Self.patience) else { throw ReadModelsLag() }
    }

    private func tell(_ conversations: [UUID], of person: UUID) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var rest = conversations[...]
            func start() {
                guard let conversation = rest.popFirst() else { return }
                group.addTask { try await tell(conversation, of: person) }
            }
            for _ in 0..<Self.width { start() }
            var changed = 0
            while let isNew = try await group.next() {
                if isNew { changed += 1 }
                start()
            }
            return changed
        }
    }

    private func tell(_ conversation: UUID, of person: UUID) async throws -> Bool {
        let handled = try await eventStore.handle(
            .eraseMember(person),
            of: ConversationDecider.self,
            on: conversation,
            context: context(person),
            answer: { _ in }
        )
        return !handled.isReplay
    }

    /// One id for the erasure in every stream: repeated, it is found to be done.
    private func context(_ person: UUID) -> CommandContext {
        CommandContext(commandID: DerivedID.erasure(of: person), actor: nil, now: Date())
    }
}
