package import Foundation
package import Postgres

/// What operators do with reports.
extension Reports {
    /// A report without what is sealed in it.
    package struct Entry: Sendable {
        package let id: UUID
        package let createdAt: Date
        package let reason: String
        package let reporter: Someone
        /// Who is reported: also the sender of a message that is.
        package let person: Someone?
        package let conversation: UUID?
        package let message: UUID?
        package let closedAt: Date?
    }

    /// A person as the directory knows them.
    package struct Someone: Sendable {
        package let id: UUID
        /// Nil before the person has one, and once the person is erased.
        package let name: String?
    }

    package enum ActionKind: String, Sendable {
        /// The evidence was read.
        case opened
        case closed
    }

    /// What an operator did with a report.
    package struct Action: Sendable {
        package let at: Date
        /// The operator's name; of a command, the account's name on the operator's machine.
        package let `operator`: String
        /// Nil where a newer program knows what it was.
        package let kind: ActionKind?
        package let note: String?
    }

    /// Lets something be written in the transaction in which a report is read or closed.
    package typealias Beside = @Sendable (PostgresConnection) async throws -> Void

    /// A report with all there is to it.
    package struct Opened: Sendable {
        package let entry: Entry
        /// Nil once who was reported is erased.
        package let evidence: Evidence?
        /// Every reading of late, and all else, the oldest first.
        package let actions: [Action]
    }

    /// So much of what was done with a report is shown: each reading of it, and of a piece of its files, is an act.
    private static let mostActions: Int64 = 500

    /// How many nobody has handled yet, and when the oldest of them came in.
    package static func waiting(in pool: PostgresPool) async throws -> (count: Int, since: Date?) {
        let rows = try await pool.query(
            "SELECT count(*)::int AS count, min(r.created_at) AS since FROM parley.reports r WHERE r.closed_at IS NULL"
        )
        guard let row = rows.first else { return (0, nil) }
        return (try row.decode("count"), try row.decode("since"))
    }

    /// Those that nobody has handled yet, the oldest first, or those that were closed, the last one first.
    package func list(closed: Bool, limit: Int) async throws -> [Entry] {
        try await list(closed: closed, where: "true", limit: limit)
    }

    /// A page of those that nobody has handled yet, the oldest first, or of those that were closed, the last one first.
    ///
    /// - Throws: ``BadCursor``.
    package func page(
        closed: Bool,
        after cursor: String?,
        limit: Int
    ) async throws -> (entries: [Entry], nextCursor: String?) {
        let kind: PageCursor.Kind = closed ? .closedReports : .waitingReports
        var after: SQL = "true"
        if let cursor {
            var reader = try PageCursorReader(cursor, kind)
            let time = try reader.date()
            let id = try reader.id()
            try reader.end()
            after =
                closed
                ? "r.closed_at <= \(time) AND (r.closed_at < \(time) OR r.report_id > \(id))"
                : "r.created_at >= \(time) AND (r.created_at > \(time) OR r.report_id > \(id))"
        }
        let found = try await list(closed: closed, where: after, limit: limit + 1)
        let entries = Array(found.prefix(limit))
        guard found.count > limit, let last = entries.last else { return (entries, nil) }
        let next = PageCursor(kind).appending(last.closedAt ?? last.createdAt).appending(last.id)
        return (entries, next.text)
    }

    private func list(closed: Bool, where condition: SQL, limit: Int) async throws -> [Entry] {
        let part: SQL =
            closed
            ? "r.closed_at IS NOT NULL AND \(condition) ORDER BY r.closed_at DESC, r.report_id"
            : "r.closed_at IS NULL AND \(condition) ORDER BY r.created_at, r.report_id"
        return try await pool.query("\(Self.entries) WHERE \(part) LIMIT \(limit)").map(Entry.init)
    }

    /// A report without what is sealed in it, and what operators have done with it; nil where there is none of that id.
    package func find(_ report: UUID) async throws -> (entry: Entry, actions: [Action])? {
        let entries = try await pool.query("\(Self.entries) WHERE r.report_id = \(report)").map(Entry.init)
        guard let entry = entries.first else { return nil }
        let actions = try await pool.query(
            """
            SELECT x.at, x.operator, x.action, x.note
            FROM (
                SELECT a.at, a.operator, a.action, a.note FROM parley.report_actions a
                WHERE a.report_id = \(report)
                ORDER BY a.action = \(ActionKind.opened.rawValue), a.at DESC LIMIT \(Self.mostActions)) x
            ORDER BY x.at
            """
        )
        return (entry, try actions.map(Action.init))
    }

    /// Shows a report to an operator, which is recorded with it.
    ///
    /// - Returns: nil where there is none of that id.
    package func open(_ report: UUID, by operatorName: String, beside: Beside) async throws -> Opened? {
        let isThere = try await pool.withTransaction { connection in
            guard try await Self.record(.opened, of: report, by: operatorName, on: connection) else { return false }
            try await beside(connection)
            return true
        }
        guard isThere, let (entry, actions) = try await find(report) else { return nil }
        return Opened(entry: entry, evidence: try await evidence(of: report), actions: actions)
    }

    /// Takes a report out of the queue, and lets go of the files that it has held.
    ///
    /// - Returns: false where none of that id is in it.
    package func close(
        _ report: UUID,
        by operatorName: String,
        note: String,
        beside: Beside
    ) async throws -> Bool {
        try await pool.withTransaction { connection in
            let closed = try await connection.query(
                """
                WITH closed AS (
                    UPDATE parley.reports r SET closed_at = now() WHERE r.report_id = \(report) AND r.closed_at IS NULL
                    RETURNING r.report_id
                )
                INSERT INTO parley.report_actions (report_id, operator, action, note)
                SELECT c.report_id, \(operatorName), \(ActionKind.closed.rawValue), \(note) FROM closed c
                RETURNING report_id
                """
            )
            guard !closed.isEmpty else { return false }
            try await connection.execute("DELETE FROM parley.held_attachments h WHERE h.report_id = \(report)")
            try await beside(connection)
            return true
        }
    }

    private static func record(
        _ action: ActionKind,
        of report: UUID,
        by operatorName: String,
        on connection: PostgresConnection
    ) async throws -> Bool {
        let recorded = try await connection.query(
            """
            INSERT INTO parley.report_actions (report_id, operator, action)
            SELECT r.report_id, \(operatorName), \(action.rawValue) FROM parley.reports r WHERE r.report_id = \(report)
            RETURNING report_id
            """
        )
        return !recorded.isEmpty
    }

    private static let entries: SQL = """
        SELECT r.report_id, r.created_at, r.reason, r.conversation_id, r.message_id, r.closed_at,
            r.reporter_id, a.display_name AS reporter_name, r.person_id, b.display_name AS person_name
        FROM parley.reports r
        LEFT JOIN read_live.users a ON a.user_id = r.reporter_id
        LEFT JOIN read_live.users b ON b.user_id = r.person_id
        """
}

extension Reports.Entry {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row.decode("report_id"),
            createdAt: try row.decode("created_at"),
            reason: try row.decode("reason"),
            reporter: Reports.Someone(id: try row.decode("reporter_id"), name: try row.decode("reporter_name")),
            person: try row.decode("person_id", as: UUID?.self).map { id in
                Reports.Someone(id: id, name: try row.decode("person_name"))
            },
            conversation: try row.decode("conversation_id"),
            message: try row.decode("message_id"),
            closedAt: try row.decode("closed_at")
        )
    }
}

extension Reports.Action {
    fileprivate init(_ row: Row) throws {
        self.init(
            at: try row.decode("at"),
            operator: try row.decode("operator"),
            kind: Reports.ActionKind(rawValue: try row.decode("action")),
            note: try row.decode("note")
        )
    }
}
