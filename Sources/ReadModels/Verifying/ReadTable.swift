package import Postgres

/// The tables of the read models, whose rows follow from the log alone.
package enum ReadTable: String, CaseIterable, Sendable {
    case messages
    case conversations
    case memberships
    case unreadCounts = "unread_counts"
    case mentions
    case watermarks
    case receiptRanges = "receipt_ranges"
    case users

    package func name(in schema: ReadSchema) -> SQL {
        "\(identifier: schema.name).\(identifier: rawValue)"
    }
}
