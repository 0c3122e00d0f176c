package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of those whom a person blocks, the newest first.
    ///
    /// - Throws: ``BadCursor``.
    package func blocks(of person: UUID, after cursor: String?, limit: Int) async throws -> ListPage<Block> {
        let limit = Self.clamped(limit)
        var after: SQL = "true"
        if let cursor {
            var reader = try PageCursorReader(cursor, .blocks)
            let time = try reader.date()
            let id = try reader.id()
            try reader.end()
            after = "b.blocked_at <= \(time) AND (b.blocked_at < \(time) OR b.blocked_id > \(id))"
        }
        let rows = try await pool.query(Self.blocks(of: person, where: after, limit: limit + 1))
        let page = try rows.prefix(limit).map(Block.init)
        guard rows.count > limit, let last = page.last else { return ListPage(items: page, nextCursor: nil) }
        let next = PageCursor(.blocks).appending(last.blockedAt).appending(last.userId.uuid)
        return ListPage(items: page, nextCursor: next.text)
    }

    /// Nil where the one does not block the other.
    package func block(of blocked: UUID, by person: UUID) async throws -> Block? {
        let rows = try await pool.query(Self.blocks(of: person, where: "b.blocked_id = \(blocked)", limit: 1))
        return try rows.first.map(Block.init)
    }

    static func blocks(of person: UUID, where condition: SQL, limit: Int) -> SQL {
        """
        SELECT b.blocked_id, b.blocked_at, u.display_name, u.photo_url, u.erased
        FROM (
            SELECT b.blocked_id, b.blocked_at FROM read_live.blocks b
            WHERE b.user_id = \(person) AND b.blocked_at IS NOT NULL AND \(condition)
            ORDER BY b.blocked_at DESC, b.blocked_id
            LIMIT \(limit)
        ) b
        LEFT JOIN LATERAL (
            SELECT u.display_name, u.photo_url, u.erased FROM read_live.users u
            WHERE u.user_id = b.blocked_id LIMIT 1) u ON true
        ORDER BY b.blocked_at DESC, b.blocked_id
        """
    }
}

extension Block {
    fileprivate init(_ row: Row) throws {
        self.init(
            userId: WireID(try row.decode("blocked_id")),
            displayName: try row.decode("display_name"),
            photoURL: try row.decode("photo_url"),
            blockedAt: try row.decode("blocked_at"),
            erased: try row.decode("erased", as: Bool?.self) == true ? true : nil
        )
    }
}
