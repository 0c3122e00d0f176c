import EventStore
import Foundation
import Hints
import Identity
import Logging
import Messaging
import Postgres
import ReadModels

extension Server {
    /// Lets a command work on the log, beside a running server or alone: the lanes and the projectors run meanwhile, and
    /// nothing listens.
    static func operate<T: Sendable>(
        _ settings: Configuration,
        on database: Database,
        logger: Logger,
        perform body: @Sendable (Server) async throws -> T
    ) async throws -> T {
        let server = try await open(settings, on: database, logger: logger)
        // A server beside this knows of no other process, and looks seldom for what others do, unless it is told.
        server.eventStore.formats.noteOther()
        let result: Result<T, any Error> = await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await server.hints.run() }
            group.addTask { await server.eventStore.run() }
            group.addTask { await server.projecting.run() }
            let result: Result<T, any Error>
            do {
                result = .success(try await body(server))
            } catch {
                result = .failure(error)
            }
            server.eventStore.close()
            group.cancelAll()
            return result
        }
        await server.tellOthers()
        await server.pool.close()
        return try result.get()
    }

    /// Tells the other processes what was done last: no hint of it may have gone yet.
    private func tellOthers() async {
        let heads = Dictionary(eventStore.feed.heads.enumerated().map { ($0.offset, $0.element) }) { $1 }
        do {
            try await hints.send(Hints(heads: heads, haveSessionsEnded: true), over: pool)
        } catch {
            // They find it by themselves.
            logger.debug("other processes are not told", metadata: ["error": "\(String(reflecting: type(of: error)))"])
        }
    }

    /// The person whom an operator names by id or email.
    func person(named name: String) async throws -> UUID {
        guard let person = try await identity.account(named: name) else { throw NoSuchAccount() }
        return person
    }

    /// Closes an account, or opens it again.
    func setDeactivated(_ isDeactivated: Bool, _ person: UUID) async throws {
        let isThere =
            isDeactivated ? try await identity.deactivate(person) : try await identity.reactivate(person)
        guard isThere else { throw NoSuchAccount() }
        _ = try await eventStore.handle(
            isDeactivated ? .deactivate : .reactivate,
            of: UserDecider.self,
            on: person,
            context: CommandContext(commandID: UUID(), actor: nil, now: Date()),
            answer: { _ in }
        )
    }
}

/// The operator names somebody whom there is not. The text repeats no name: it may be an email.
struct NoSuchAccount: Error, CustomStringConvertible {
    var description: String { "there is no such account" }
}
