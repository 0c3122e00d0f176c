package import Foundation
import HashTreeCollections

/// The members of a conversation, by person.
///
/// A tree inside: what a round decides is a copy until the log has it, and a change copies a few nodes of a tree, where a
/// dictionary of thousands would copy itself. Its stored form is a dictionary's.
package struct Members: Sendable, Equatable {
    private var tree: TreeDictionary<UUID, Conversation.Member> = [:]

    package init() {}

    package subscript(person: UUID) -> Conversation.Member? {
        get { tree[person] }
        set { tree[person] = newValue }
    }

    package var count: Int { tree.count }

    package var people: [UUID] { Array(tree.keys) }

    package var all: [(person: UUID, member: Conversation.Member)] {
        tree.map { (person: $0.key, member: $0.value) }
    }
}

extension Members: Codable {
    package init(from decoder: any Decoder) throws {
        tree = try TreeDictionary(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try tree.encode(to: encoder)
    }
}
