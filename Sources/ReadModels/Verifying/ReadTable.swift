package import Postgres

/// The tables of the read models, whose rows follow from the log alone.
package enum ReadTable: String, CaseIterable, Sendable {
    case messages
    case conversations
    case memberships
    case unreadCounts = "unread_counts"
    case mentions
    case mentionsOfAll = "mentions_of_all"
    case watermarks
    case receiptRanges = "receipt_ranges"
    case users
    case messageVersions = "message_versions"
    case reactions
    case deletedMessages = "deleted_messages"
    case systemMessages = "system_messages"
    case blocks
    case hiddenMessages = "hidden_messages"
    case searchChunks = "search_chunks"

    /// The column with the id of the streams that a row is made of: of a conversation, or of a person.
    var streamColumn: String {
        switch self {
        case .messages, .conversations, .memberships, .unreadCounts, .mentions, .mentionsOfAll, .watermarks,
            .receiptRanges, .messageVersions, .reactions, .deletedMessages, .systemMessages, .blocks, .hiddenMessages,
            .searchChunks:
            "conversation_id"
        case .users: "user_id"
        }
    }

    package func name(in schema: ReadSchema) -> SQL {
        "\(identifier: schema.name).\(identifier: rawValue)"
    }
}
