package import EventSourcing
package import Foundation
import Postgres

/// What the log says of one subject of a stream, all at one moment.
package struct SubjectView: Sendable {
    /// The stream's version at that moment.
    package let version: Int64
    /// The first event of the command whose id is the subject's.
    package let origin: RecordedEvent
    /// The newest event of the kinds that were asked for, group by group.
    package let newest: [RecordedEvent?]
    /// The newest event of one actor that was asked for.
    package let own: RecordedEvent?
}

extension LogReader {
    /// Asks for the newest event that an actor has made about a subject.
    package struct OwnQuestion: Sendable {
        let types: [String]
        let actor: UUID
        let field: String
        let value: String

        /// - Parameter field: of the payload, which must hold the value as text.
        package init(types: [String], actor: UUID, field: String, value: String) {
            self.types = types
            self.actor = actor
            self.field = field
            self.value = value
        }
    }

    /// What happened last to a subject that a command of the same id began; nil where there was no such command.
    ///
    /// - Parameter groups: of event types: the newest event of each is told.
    package func view(
        of subject: UUID,
        in stream: StreamID,
        newestOf groups: [[String]],
        own question: OwnQuestion? = nil
    ) async throws -> SubjectView? {
        let table = partitionTable(identity.partition(of: stream.id))
        let ofStream: SQL = "t.stream_id = \(stream.id) AND t.category = \(stream.category.rawValue)"
        var parts: [SQL] = [
            "SELECT t.*, 0 AS part FROM \(table) t WHERE t.command_id = \(subject) AND \(ofStream) AND t.ordinal = 0"
        ]
        for (place, types) in groups.enumerated() {
            parts.append(
                """
                (SELECT t.*, \(Int32(clamping: place + 1)) AS part FROM \(table) t
                WHERE \(ofStream) AND t.subject = \(subject) AND t.type = ANY (\(types))
                ORDER BY t.version DESC LIMIT 1)
                """
            )
        }
        if let question {
            parts.append(
                """
                (SELECT t.*, -1 AS part FROM \(table) t
                WHERE \(ofStream) AND t.subject = \(subject) AND t.type = ANY (\(question.types))
                    AND t.actor = \(question.actor) AND t.payload ->> \(question.field) = \(question.value)
                ORDER BY t.version DESC LIMIT 1)
                """
            )
        }
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns), e.part, (
                SELECT t.version FROM \(table) t WHERE \(ofStream) ORDER BY t.version DESC LIMIT 1) AS stream_version
            FROM (\(parts.joined(separator: " UNION ALL "))) e
            """
        )
        let events = try await unseal(rows)
        let places = try rows.map { try $0.decode("part", as: Int.self) }
        let byPlace = Dictionary(zip(places, events)) { first, _ in first }
        guard let origin = byPlace[0], let version: Int64 = try rows.first?.decode("stream_version") else { return nil }
        return SubjectView(
            version: version,
            origin: origin,
            newest: groups.indices.map { byPlace[$0 + 1] },
            own: byPlace[-1]
        )
    }
}
