import CoreMetrics
import Foundation
package import Logging
package import Postgres
import ServiceLifecycle

/// Fills in the words of chunks that have all of their messages, beside projecting: nobody waits for it, since what it has
/// not got to is read itself.
package struct SearchIndexer: Service {
    /// As many chunks are filled in at once.
    private static let batch = 16
    /// The least time between two looks where there is nothing to fill in, and after a failure.
    private static let (pause, pauseAfterFailure) = (Duration.seconds(1), Duration.milliseconds(250))
    /// So long nothing is looked for while nothing is projected: what others have locked, or a rebuild has brought, waits.
    private static let longestPause = Duration.seconds(30)

    private let pool: PostgresPool
    private let checkpoints: Checkpoints
    private let language: SearchLanguage
    private let logger: Logger

    /// - Parameter checkpoints: tell when something was projected: nothing else fills a chunk.
    package init(pool: PostgresPool, checkpoints: Checkpoints, language: SearchLanguage, logger: Logger) {
        self.pool = pool
        self.checkpoints = checkpoints
        self.language = language
        self.logger = logger
    }

    /// Works until cancelled or shut down gracefully.
    package func run() async {
        await cancelWhenGracefulShutdown { await follow() }
    }

    private func follow() async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            let projected = checkpoints.changes()
            group.addTask { for await _ in projected { wake.yield() } }
            group.addTask {
                while !Task.isCancelled {
                    wake.yield()
                    try? await Task.sleep(for: Self.longestPause)
                }
            }
            await work(wakes, retrying: wake)
            group.cancelAll()
        }
    }

    private func work(_ wakes: AsyncStream<Void>, retrying wake: AsyncStream<Void>.Continuation) async {
        var place: SearchChunk? = .beforeAll
        for await _ in wakes {
            do {
                while let passed = place { place = try await forgetOutdated(after: passed) }
                while try await index() > 0 { try await Task.sleep(for: .milliseconds(1)) }
                // Ends early only by cancellation, which ends the signals, too.
                try? await Task.sleep(for: Self.pause)
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("indexing failed", metadata: ["error": "\(error)"])
                wake.yield()
                try? await Task.sleep(for: Self.pauseAfterFailure)
            }
        }
    }

    /// Fills in all that there is to fill in.
    package func indexAll() async throws {
        while try await index() > 0 {}
    }

    /// Takes away what was made with another setting, piece by piece.
    ///
    /// - Returns: the last chunk that was looked at; nil after the last of all.
    func forgetOutdated(after place: SearchChunk) async throws -> SearchChunk? {
        try await pool.query(
            """
            WITH piece AS (
                SELECT k.conversation_id, k.chunk, k.dictionary FROM read_live.search_chunks k
                WHERE (k.conversation_id, k.chunk) > (\(place.conversation), \(place.number))
                ORDER BY k.conversation_id, k.chunk
                LIMIT 1000
            ), forgotten AS (
                UPDATE read_live.search_chunks k SET words = NULL, dictionary = NULL
                FROM piece p
                WHERE k.conversation_id = p.conversation_id AND k.chunk = p.chunk
                    AND p.dictionary <> \(language.dictionary)
            )
            SELECT p.conversation_id, p.chunk FROM piece p ORDER BY p.conversation_id DESC, p.chunk DESC LIMIT 1
            """
        ).first.map(SearchChunk.init)
    }

    /// Fills in the next chunks.
    ///
    /// - Returns: how many.
    package func index() async throws -> Int {
        try await pool.withTransaction { connection in
            // First, as in every reader of several statements: a rebuild that switches tables waits for it.
            try await connection.execute("LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE")
            let chunks = try await take(on: connection)
            guard !chunks.isEmpty else { return 0 }
            let count = try await fill(chunks, on: connection)
            ProjectionMetrics.indexedChunks.increment(by: count)
            return count
        }
    }

    /// The next chunks, locked: the projection that changes one of their messages waits, and takes the words away again.
    private func take(on connection: PostgresConnection) async throws -> [SearchChunk] {
        try await connection.query(Self.due(atMost: Self.batch)).map(SearchChunk.init)
    }

    static func due(atMost limit: Int) -> SQL {
        """
        SELECT k.conversation_id, k.chunk FROM read_live.search_chunks k
        WHERE k.words IS NULL AND k.last_at IS NOT NULL AND k.dictionary IS NULL
        ORDER BY k.last_at DESC
        LIMIT \(limit)
        FOR UPDATE SKIP LOCKED
        """
    }

    /// In statements that see what was there when the locks were held.
    ///
    /// - Returns: how many; the others hold too much to be read at once with these.
    private func fill(_ taken: [SearchChunk], on connection: PostgresConnection) async throws -> Int {
        let (messages, count) = try await SearchedMessage.read(
            taken.map { [MessageRange(conversation: $0.conversation, first: $0.first, last: $0.last, floor: 0)] },
            on: connection
        )
        let chunks = Array(taken.prefix(count))
        let lexemes = try await language.lexemes(of: messages.map(\.text), on: connection)
        let held = Dictionary(grouping: messages) { SearchChunk(conversation: $0.conversation, holding: $0.seq) }
        let vectors = chunks.map { SearchText.vector(Self.places(of: held[$0] ?? [], in: $0, lexemes)) }
        try await connection.execute(
            """
            UPDATE read_live.search_chunks k SET words = x.words::tsvector, dictionary = \(language.dictionary)
            FROM unnest(
                \(chunks.map(\.conversation)), \(chunks.map(\.number)), \(vectors)
            ) AS x (conversation_id, chunk, words)
            WHERE k.conversation_id = x.conversation_id AND k.chunk = x.chunk
            """
        )
        return count
    }

    private static func places(
        of messages: [SearchedMessage],
        in chunk: SearchChunk,
        _ lexemes: Lexemes
    ) -> [String: SearchChunk.Places] {
        var places: [String: SearchChunk.Places] = [:]
        for message in messages {
            let place = chunk.place(of: message.seq)
            for mark in message.marks { places[mark, default: SearchChunk.Places()].insert(place) }
            lexemes.forEach(in: message.text) { places[$0, default: SearchChunk.Places()].insert(place) }
        }
        return places
    }
}
