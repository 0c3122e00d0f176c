import Edge
import EventStore
import ParleyWire
import ReadModels

/// Makes queries wait until the read models show what a token names: clients read their own writes.
struct Visibility: Sendable {
    let checkpoints: Checkpoints
    let eventStore: EventStore
    let timeout: Duration

    /// Whether the read models show what the token names, now or soon.
    func reaches(_ token: Cursor) async throws -> Bool {
        try await checkpoints.wait(for: positions(of: token), timeout: timeout)
    }

    /// Of a token from an epoch that is over some may be lost, and its positions may be those of other events. What is left
    /// of it stands in the log now: so it is shown where everything is that the log holds.
    private func positions(of token: Cursor) async throws -> [Int: Int64] {
        guard token.epoch != eventStore.epoch.present.id else { return token.positions }
        let heads = try await eventStore.log.heads()
        let partitions = token.positions.keys.filter { heads.indices.contains($0) }
        return Dictionary(uniqueKeysWithValues: partitions.map { ($0, heads[$0]) })
    }

    /// Waits for the token that a client sent back.
    func wait(for text: String) async throws {
        let log = eventStore.identity
        guard let token = Cursor(text: text), token.epoch == log.epoch || eventStore.epoch.isEarlier(token.epoch),
            token.positions.keys.allSatisfy({ (0..<log.partitions).contains($0) })
        else {
            throw HTTPProblem.invalid(
                parameter: ParleyHeader.waitFor,
                .invalid,
                "A Parley-Position of this server is expected."
            )
        }
        guard try await reaches(token) else {
            // How far read models lag metrics say, whoever waits.
            throw HTTPProblem(.unavailable, "The server does not show the given position yet.", isClients: true)
        }
    }
}
