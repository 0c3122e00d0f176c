import Edge
import EventStore
import ParleyWire
import ReadModels

/// Makes queries wait until the read models show what a token names: clients read their own writes.
struct Visibility: Sendable {
    /// A projector lags by milliseconds; one that lags by more is in trouble, and waiting does not help.
    static let timeout: Duration = .seconds(2)

    let checkpoints: Checkpoints
    let identity: LogIdentity

    /// Whether the read models show what the token names, now or soon.
    func reaches(_ token: Cursor) async throws -> Bool {
        try await checkpoints.wait(for: token.positions, timeout: Self.timeout)
    }

    /// Waits for the token that a client sent back.
    func wait(for text: String) async throws {
        guard let token = Cursor(text: text), token.epoch == identity.epoch,
            token.positions.keys.allSatisfy({ (0..<identity.partitions).contains($0) })
        else {
            throw HTTPProblem.invalid(
                parameter: ParleyHeader.waitFor,
                .invalid,
                "A Parley-Position of this server is expected."
            )
        }
        guard try await reaches(token) else {
            throw HTTPProblem(.unavailable, "The server does not show the given position yet.")
        }
    }
}
