import CoreMetrics
import EventSourcing
package import EventStore
package import Foundation
import Live
import Messaging
package import ReadModels

/// Takes messages away whose time is over, in nobody's name, by the ordinary command: the log decides what is left to take away,
/// so that nothing goes twice, whoever is at it.
package struct Expirer: Sendable {
    /// Some conversations could not be seen to; all others are.
    package struct Failure: Error {
        package let reason: any Error
    }

    private static let page = 500
    /// Conversations that are seen to at once.
    private static let width = 4
    private static let attempts = 8
    private static let patience: Duration = .seconds(20)

    private let eventStore: EventStore
    private let checkpoints: Checkpoints
    private let clock: CommandClock
    private let messages: ExpiringMessages
    private let holder = UUID()

    package init(eventStore: EventStore, checkpoints: Checkpoints, clock: CommandClock) {
        self.eventStore = eventStore
        self.checkpoints = checkpoints
        self.clock = clock
        messages = ExpiringMessages(eventStore)
    }

    /// Takes away what is due, where no other process sees to it.
    ///
    /// - Returns: when there is something to do again; nil where nothing waits, or where another process sees to it.
    /// - Throws: ``Failure``; database errors.
    package func expireDue() async throws -> Date? {
        let now = clock.moment()
        var last: ExpiringMessages.Due?
        var failure: (any Error)?
        while try await messages.takeTurn(as: holder, at: clock.moment()) {
            let due = try await messages.due(at: now, after: last, limit: Self.page)
            guard !due.isEmpty else {
                if let failure { throw Failure(reason: failure) }
                return try await messages.next()
            }
            last = due.last
            var positions: [Int: Int64] = [:]
            for result in await expire(due, at: now) {
                switch result {
                case .success(let reached): positions.merge(reached, uniquingKeysWith: max)
                case .failure(let error): failure = error
                }
            }
            // What was taken away is due as long as the read models have it.
            _ = try await checkpoints.wait(for: positions, timeout: Self.patience)
        }
        return nil
    }

    /// Has `wake` called whenever another process is gone that may have seen to it, until cancelled.
    func followOthers(_ wake: () -> Void) async {
        await eventStore.sessions.follow { living in
            // At the first sign, too: who ends in order has let go of it by then.
            defer { wake() }
            try await messages.endTurn(exceptOf: living)
        }
    }

    /// Lets another process see to it.
    package func endTurn() async throws {
        try await messages.endTurn(of: holder)
    }

    private func expire(_ due: [ExpiringMessages.Due], at now: Date) async -> [Result<[Int: Int64], any Error>] {
        var lines = Array(Dictionary(grouping: due, by: \.conversation))[...]
        return await withTaskGroup(of: Result<[Int: Int64], any Error>.self) { group in
            func start() {
                guard let (conversation, due) = lines.popFirst() else { return }
                group.addTask {
                    do {
                        return .success(try await expire(due.map(\.message), of: conversation, at: now))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for _ in 0..<Self.width { start() }
            var results: [Result<[Int: Int64], any Error>] = []
            while let result = await group.next() {
                results.append(result)
                start()
            }
            return results
        }
    }

    /// - Returns: by partition, where it is done.
    func expire(_ messages: [UUID], of conversation: UUID, at now: Date) async throws -> [Int: Int64] {
        var positions: [Int: Int64] = [:]
        var rest = messages[...]
        while !rest.isEmpty {
            let handled = try await expireSome(Array(rest.prefix(ExpireMessages.limit)), of: conversation, at: now)
            rest = rest.dropFirst(ExpireMessages.limit)
            ExpiryMetrics.expired.increment(by: handled.events.count)
            positions.merge(handled.token.positions, uniquingKeysWith: max)
        }
        return positions
    }

    private func expireSome(_ messages: [UUID], of conversation: UUID, at now: Date) async throws -> Handled<Void> {
        for _ in 0..<Self.attempts {
            let expire = ExpireMessages(messages: try await facts(of: messages, in: conversation), now: now)
            do {
                return try await eventStore.handle(
                    .expireMessages(expire),
                    of: ConversationDecider.self,
                    on: conversation,
                    context: CommandContext(
                        commandID: clock.newID(),
                        actor: nil,
                        // Of several, the first: each event has its own as its subject.
                        causationID: messages.first,
                        now: clock.moment()
                    ),
                    answer: { _ in }
                )
            } catch ConversationRejection.staleFacts {
                continue
            }
        }
        throw CommandError.overloaded
    }

    /// What the log says of them, at one moment or later.
    private func facts(of messages: [UUID], in conversation: UUID) async throws -> [MessageFacts] {
        let stream = StreamID(.conversation, conversation)
        let deleted = try await eventStore.log.subjects(
            messages,
            with: ConversationEvent.typesOfDeletions,
            in: stream
        )
        return try await eventStore.log.events(of: messages, in: stream).compactMap { record in
            guard case .messageSent(let sent) = record.conversationEvent else { return nil }
            return MessageFacts(
                id: sent.messageID,
                seq: sent.seq,
                sender: sent.sender,
                sentAt: record.recordedAt,
                expiresAt: sent.expiry(sentAt: record.recordedAt),
                isDeleted: deleted.found.contains(sent.messageID),
                version: deleted.version
            )
        }
    }
}
