package import Foundation

/// A picture as it is kept: turned upright, of a size that is fit to be looked at, and with nothing but its picture.
package struct ProcessedImage: Sendable {
    package let contentType: String
    package let width: Int
    package let height: Int
    package let full: Data
    package let thumbnailType: String
    package let thumbnail: Data
    package let blurhash: String

    package init(
        contentType: String,
        width: Int,
        height: Int,
        full: Data,
        thumbnailType: String,
        thumbnail: Data,
        blurhash: String
    ) {
        self.contentType = contentType
        self.width = width
        self.height = height
        self.full = full
        self.thumbnailType = thumbnailType
        self.thumbnail = thumbnail
        self.blurhash = blurhash
    }
}

/// Makes pictures of what people upload.
protocol ImageProcessing: Sendable {
    /// - Parameter read: gives the bytes when it is their turn: those that wait take no memory.
    /// - Throws: ``AttachmentError``: `unreadableImage`, `unsupportedFormat`, `overloaded`, `unavailable`.
    func process(_ read: @Sendable () async throws -> Data) async throws -> ProcessedImage

    /// Why there are no pictures at the moment; nil where there are.
    func trouble() async -> String?
}
