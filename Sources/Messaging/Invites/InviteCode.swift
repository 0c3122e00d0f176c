package import Foundation

/// What opens a group to whoever has it: the group's id, and 128 bits that nobody guesses.
///
/// The id tells nobody anything, since a group shows a stranger nothing; in exchange no table says which code is whose. The
/// rules know an invite by a hash of its code alone, and so does the log.
package struct InviteCode: Sendable, Equatable {
    package let conversation: UUID
    private let secret: [UInt8]

    private static let length = 32

    /// A new one.
    package init(of conversation: UUID) {
        var random = SystemRandomNumberGenerator()
        self.conversation = conversation
        secret = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Nil for what is no code.
    package init?(_ text: String) {
        guard text.utf8.count == 43,
            !text.utf8.contains(where: { [UInt8(ascii: "+"), UInt8(ascii: "/")].contains($0) }),
            let data = Data(
                base64Encoded: text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
                    + "="
            ),
            data.count == Self.length
        else { return nil }
        let bytes = Array(data)
        conversation = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        secret = Array(bytes.dropFirst(16))
        // The last character has bits to spare: one code is one text.
        guard self.text == text else { return nil }
    }

    package var text: String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// What the rules know the invite by.
    package var invite: UUID { DerivedID.invite(bytes) }

    private var bytes: [UInt8] { withUnsafeBytes(of: conversation.uuid) { Array($0) } + secret }
}
