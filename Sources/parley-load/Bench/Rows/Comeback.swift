/// A person whose stream comes back.
struct Comeback: Sendable {
    static let idleTimes = 50

    let subject: Subject
    let person: Crowd.Person

    /// Opens a stream from a cursor, or from now, and closes it when it is ready.
    func resume(from cursor: String?) async throws -> Streams.Resumed {
        let opening = Streams.Opening(token: try await subject.crowd.token(of: person), cursor: cursor)
        return try await Streams.resume(opening, to: subject.server.address, by: subject.generator)
    }

    /// The same again and again, with a cursor after which nothing happened.
    func idle(from cursor: String) async throws -> Latencies {
        var latencies = Latencies()
        for _ in 0..<Self.idleTimes {
            latencies.record(nanoseconds: Int64(try await resume(from: cursor).seconds * 1e9))
        }
        return latencies
    }
}
