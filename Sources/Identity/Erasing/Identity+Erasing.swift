package import Foundation
import Postgres

/// Taking accounts away for good, and closing them for a while.
extension Identity {
    package var erasures: Erasures { Erasures(pool: accounts.pool) }

    /// Takes an account away: its email is free again, nobody signs in, all sessions are over. What the log holds of the
    /// person is left to whoever carries on ``erasures``; once this has returned, somebody will.
    ///
    /// - Returns: false where there is no such account, and never was one that was erased.
    package func beginErasure(of person: UUID) async throws -> Bool {
        guard let ended = try await erasures.begin(person) else { return false }
        for session in ended { revocations.sessionEnded(session) }
        return true
    }

    /// Closes an account until it is reactivated: its sessions end, and the right password is refused too.
    ///
    /// - Returns: false where there is no such account.
    package func deactivate(_ person: UUID) async throws -> Bool {
        let ended = try await accounts.pool.withTransaction { connection -> [UUID]? in
            // The account first: who signs in meanwhile waits for it, or is in what the next statement sees.
            guard try await Accounts.setDeactivated(true, person, on: connection) else { return nil }
            return try await sessions.endAll(of: person, except: nil, on: connection)
        }
        guard let ended else { return false }
        for session in ended { revocations.sessionEnded(session) }
        return true
    }

    /// - Returns: false where there is no such account.
    package func reactivate(_ person: UUID) async throws -> Bool {
        try await accounts.pool.withConnection { try await Accounts.setDeactivated(false, person, on: $0) }
    }

    /// Those of these people whose accounts are closed.
    package func deactivated(among people: [UUID]) async throws -> Set<UUID> {
        try await accounts.deactivated(among: people)
    }

    /// The account that an operator names by its id or email, deactivated or not.
    package func account(named name: String) async throws -> UUID? {
        if let id = UUID(uuidString: name) { return try await accounts.contact(of: id) == nil ? nil : id }
        guard let email = try? EmailAddress(name) else { return nil }
        return try await accounts.id(of: email)
    }
}
