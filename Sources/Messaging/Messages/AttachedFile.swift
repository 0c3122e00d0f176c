package import Foundation

/// A file of a message, as the message's event keeps it: what is told of it, and never its bytes.
package struct AttachedFile: Sendable, Equatable, Codable {
    package let id: UUID
    package let kind: Kind
    package let contentType: String
    package let bytes: Int64
    package let name: String?
    package let width: Int?
    package let height: Int?
    package let blurhash: String?
    package let durationMs: Int?
    package let waveform: [Int]?

    package enum Kind: String, Sendable, Codable, CaseIterable {
        case image, file, audio
    }

    package init(
        id: UUID,
        kind: Kind,
        contentType: String,
        bytes: Int64,
        name: String? = nil,
        width: Int? = nil,
        height: Int? = nil,
        blurhash: String? = nil,
        durationMs: Int? = nil,
        waveform: [Int]? = nil
    ) {
        self.id = id
        self.kind = kind
        self.contentType = contentType
        self.bytes = bytes
        self.name = name
        self.width = width
        self.height = height
        self.blurhash = blurhash
        self.durationMs = durationMs
        self.waveform = waveform
    }
}

/// What is sealed of a message with files: all that people chose or that shows what they took pictures of.
struct SealedMessage: Codable {
    let files: [AttachedFile]
    let text: String
}
