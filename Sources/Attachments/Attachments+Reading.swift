import Crypto
import Foundation
import Logging
package import NIOCore
package import ParleyWire

extension Attachments {
    /// How many bytes a piece has at most, wherever the file is.
    package var pieceBytes: Int { FileCipher.chunkBytes * (stores.map { $0.chunksAtOnce }.max() ?? 1) }

    /// The next piece of a part of a file.
    ///
    /// - Throws: ``AttachmentError``: `notFound` where it has gone meanwhile, `lost` where its row is there and its bytes are
    ///   not, `unavailable`.
    package func read(
        _ file: StoredAttachment,
        _ size: AttachmentLinks.Size,
        _ range: Range<Int>
    ) async throws -> ByteBuffer {
        do {
            return try await piece(of: file, size, range)
        } catch is BlobMissing {
            // It may have gone, or been moved elsewhere, since its row was read.
            guard let now = try await rows.find(file.id), now.blob == file.blob else { throw AttachmentError.notFound }
            guard now.store != file.store else { throw lost(file, size, "it is missing") }
            do {
                return try await piece(of: now, size, range)
            } catch is BlobMissing {
                throw lost(now, size, "it is missing")
            }
        } catch is CryptoKitError {
            throw lost(file, size, "it is not what was kept")
        } catch let error as POSIXError {
            throw lost(file, size, "\(error.code)")
        }
    }

    private func piece(
        of file: StoredAttachment,
        _ size: AttachmentLinks.Size,
        _ range: Range<Int>
    ) async throws -> ByteBuffer {
        guard let blob = file.blob, let bytes = file.bytes(size) else { throw AttachmentError.notFound }
        let store = try store(file.store)
        let first = range.lowerBound / FileCipher.chunkBytes
        let end = min(FileCipher.chunks(of: range.upperBound), first + store.chunksAtOnce)
        let cipher = FileCipher(file.details.cipherKey, file: file.id, size)
        let sealed = try await store.read(BlobName(blob, size), FileCipher.sealedRange(of: first..<end, in: bytes))
        let opened = try cipher.open(sealed, chunks: first..<end, in: bytes)
        let start = range.lowerBound - first * FileCipher.chunkBytes
        return ByteBuffer(bytes: opened.dropFirst(start).prefix(range.count))
    }

    /// Says to those who run the server what is to be brought back from a backup.
    private func lost(_ file: StoredAttachment, _ size: AttachmentLinks.Size, _ reason: String) -> AttachmentError {
        logger.warning(
            "A file cannot be read",
            metadata: [
                "attachment": "\(file.id.uuidString.lowercased())", "store": "\(file.store.rawValue)",
                "name": "\(file.blob.map { BlobName($0, size).path } ?? "")", "reason": "\(reason)",
            ]
        )
        return .lost
    }
}
