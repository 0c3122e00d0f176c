package import Foundation
package import Messaging

/// What a request says of the file that it brings, or goes on with.
package struct UploadRequest: Sendable {
    package let id: UUID
    package let owner: UUID
    package let kind: AttachedFile.Kind
    package let name: String?
    package let contentType: String?
    package let durationMs: Int?
    package let waveform: [Int]?
    /// Of the whole file; nil where it is not known.
    package let length: Int64?
    /// Whether the file ends where the request's body does.
    package let isWhole: Bool

    package init(
        id: UUID,
        owner: UUID,
        kind: AttachedFile.Kind,
        name: String? = nil,
        contentType: String? = nil,
        durationMs: Int? = nil,
        waveform: [Int]? = nil,
        length: Int64? = nil,
        isWhole: Bool = true
    ) {
        self.id = id
        self.owner = owner
        self.kind = kind
        self.name = FileName.safe(name)
        self.contentType = contentType
        self.durationMs = durationMs
        self.waveform = waveform
        self.length = length
        self.isWhole = isWhole
    }
}

/// What became of a request that brought bytes.
package enum UploadOutcome: Sendable {
    case complete(StoredAttachment, isNew: Bool)
    /// So much is on the disk, and more is to come.
    case partial(received: Int64)
}
