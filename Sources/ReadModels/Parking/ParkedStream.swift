package import EventSourcing
package import Foundation
package import Postgres

/// A stream that a read model has stopped following.
package struct ParkedStream: Sendable, Equatable {
    package let projection: String
    package let stream: StreamID
    package let partition: Int
    /// The event that the read model could not take, and the newest that was left out because of it.
    package let position: Int64
    package let lastPosition: Int64
    /// How many events were left out.
    package let events: Int64
    package let attempts: Int
    package let error: String

    package static func read(on connection: PostgresConnection) async throws -> [ParkedStream] {
        try await read(matching: "true", on: connection)
    }

    /// Those of a conversation or person, locked.
    static func lock(_ id: UUID, on connection: PostgresConnection) async throws -> [ParkedStream] {
        try await read(matching: "k.stream_id = \(id)", suffix: "FOR UPDATE", on: connection)
    }

    private static func read(
        matching condition: SQL,
        suffix: SQL = "",
        on connection: PostgresConnection
    ) async throws -> [ParkedStream] {
        let rows = try await connection.query(
            """
            SELECT k.projection, k.category, k.stream_id, k.partition, k.position, k.last_position, k.events, k.attempts,
                k.error
            FROM read_live.parked k
            WHERE \(condition)
            ORDER BY k.partition, k.position, k.projection
            \(suffix)
            """
        )
        return try rows.map { row in
            ParkedStream(
                projection: try row.decode("projection"),
                stream: StreamID(
                    StreamCategory(rawValue: try row.decode("category")),
                    try row.decode("stream_id")
                ),
                partition: try row.decode("partition"),
                position: try row.decode("position"),
                lastPosition: try row.decode("last_position"),
                events: try row.decode("events"),
                attempts: try row.decode("attempts"),
                error: try row.decode("error")
            )
        }
    }
}

/// An event that a read model leaves out for good, as an operator said.
package struct SkippedEvent: Sendable, Equatable {
    package let projection: String
    package let stream: StreamID
    package let partition: Int
    package let position: Int64
    package let reason: String
    package let skippedBy: String
    package let skippedAt: Date

    package static func read(on connection: PostgresConnection) async throws -> [SkippedEvent] {
        let rows = try await connection.query(
            """
            SELECT s.projection, s.category, s.stream_id, s.partition, s.position, s.reason, s.skipped_by, s.skipped_at
            FROM parley.skipped_events s
            ORDER BY s.skipped_at, s.partition, s.position, s.projection
            """
        )
        return try rows.map { row in
            SkippedEvent(
                projection: try row.decode("projection"),
                stream: StreamID(
                    StreamCategory(rawValue: try row.decode("category")),
                    try row.decode("stream_id")
                ),
                partition: try row.decode("partition"),
                position: try row.decode("position"),
                reason: try row.decode("reason"),
                skippedBy: try row.decode("skipped_by"),
                skippedAt: try row.decode("skipped_at")
            )
        }
    }
}
