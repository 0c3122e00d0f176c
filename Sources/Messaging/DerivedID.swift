import Crypto
package import Foundation

/// Ids that follow from what they name, as UUIDs of version 8 (RFC 9562 §5.8), so that everyone derives the same one.
///
/// Client-made ids of version 8 are refused at the edge: nobody can claim a derived id for something else.
package enum DerivedID {
    /// The direct conversation of two people, whoever starts it.
    package static func directConversation(_ one: UUID, _ other: UUID) -> UUID {
        let pair = [bytes(one), bytes(other)].sorted { $0.lexicographicallyPrecedes($1) }
        return derive("direct-conversation", pair[0] + pair[1])
    }

    /// The command that starts a group under a client-made id: not that id itself, which a message may have, too.
    package static func groupStart(_ conversation: UUID) -> UUID {
        derive("group-start", bytes(conversation))
    }

    /// The command id that stands for an `Idempotency-Key` of one person, whatever it is used for: used for something
    /// else in the same conversation, it is found to have other content.
    package static func command(actor: UUID, key: UUID) -> UUID {
        derive("idempotency-key", bytes(actor) + bytes(key))
    }

    /// A message of several that are sent under one `Idempotency-Key`, by its place: the first one has the key's own id.
    package static func message(_ place: Int, under command: UUID) -> UUID {
        guard place > 0 else { return command }
        return derive("batch", bytes(command) + withUnsafeBytes(of: UInt32(clamping: place).bigEndian) { Array($0) })
    }

    /// A message that is forwarded into a conversation under an `Idempotency-Key`.
    package static func forwarded(to conversation: UUID, under command: UUID) -> UUID {
        derive("forward", bytes(command) + bytes(conversation))
    }

    /// The command that erases a person, in each of the streams concerned.
    package static func erasure(of person: UUID) -> UUID {
        derive("erasure", bytes(person))
    }

    /// The message by which the history of a group tells of an event.
    package static func systemMessage(of conversation: UUID, command: UUID, ordinal: Int) -> UUID {
        let place = withUnsafeBytes(of: UInt32(clamping: ordinal).bigEndian) { Array($0) }
        return derive("system-message", bytes(conversation) + bytes(command) + place)
    }

    /// An invite, by all of its code.
    static func invite(_ code: [UInt8]) -> UUID {
        derive("invite", code)
    }

    private static func derive(_ purpose: String, _ content: [UInt8]) -> UUID {
        var hash = SHA256()
        hash.update(data: Array(purpose.utf8) + [0] + content)
        var b = Array(hash.finalize().prefix(16))
        b[6] = (b[6] & 0x0f) | 0x80
        b[8] = (b[8] & 0x3f) | 0x80
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            )
        )
    }

    private static func bytes(_ id: UUID) -> [UInt8] {
        withUnsafeBytes(of: id.uuid) { Array($0) }
    }
}
