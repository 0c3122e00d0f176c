package import Messaging

/// How much people may upload.
package struct AttachmentLimits: Sendable {
    package var imageBytes = 10 << 20
    package var fileBytes = 25 << 20
    /// Of one person, in all.
    package var personBytes: Int64 = 1 << 30
    /// Of all; nil for as much as the disk holds.
    package var serverBytes: Int64?
    /// Uploads of one person that are not complete.
    package var pendingUploads = 32
    /// How long what belongs to nothing is kept.
    package var unattached: Duration = .seconds(86_400)

    package static let perMessage = 10
    package static let nameBytes = 255
    package static let waveformValues = 256

    package init() {}

    package func bytes(of kind: AttachedFile.Kind) -> Int { kind == .image ? imageBytes : fileBytes }

    package var mostBytes: Int { max(imageBytes, fileBytes) }
}
