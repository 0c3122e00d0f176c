import Foundation
package import Messaging
package import ParleyWire
import Postgres

/// How the table keeps the files of a message.
enum MessageFiles {
    /// Nil where there are none.
    static func encode(_ files: [AttachedFile]) -> String? {
        guard !files.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(files) else {
            preconditionFailure("files consist of texts and whole numbers, which all encode")
        }
        return String(decoding: json, as: UTF8.self)
    }

    static func decode(_ text: String?) throws -> [AttachedFile] {
        guard let text else { return [] }
        return try JSONDecoder().decode([AttachedFile].self, from: Data(text.utf8))
    }

    /// Of what kinds they are; nil where there are none.
    static func kinds(_ text: String?) throws -> [AttachmentKind]? {
        guard let text else { return nil }
        return try decode(text).kinds
    }
}

extension [AttachedFile] {
    /// Of what kinds they are; nil where there are none.
    package var kinds: [AttachmentKind]? { isEmpty ? nil : map { AttachmentKind(rawValue: $0.kind.rawValue) } }
}

extension Attachment {
    /// A file as it is told, with the URLs of whoever is told.
    package init(_ file: AttachedFile) {
        self.init(
            id: WireID(file.id),
            kind: AttachmentKind(rawValue: file.kind.rawValue),
            contentType: file.contentType,
            bytes: file.bytes,
            name: file.name,
            width: file.width,
            height: file.height,
            blurhash: file.blurhash,
            durationMs: file.durationMs,
            waveform: file.waveform,
            url: AttachmentLinks.current(file.id, .full),
            thumbnailURL: file.kind == .image ? AttachmentLinks.current(file.id, .thumbnail) : nil
        )
    }
}
