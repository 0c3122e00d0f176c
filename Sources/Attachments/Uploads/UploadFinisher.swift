import Crypto
import EventStore
import Foundation
import Messaging
import ParleyWire

/// Makes of a file that has come whole what is kept of it.
struct UploadFinisher: Sendable {
    let rows: AttachmentRows
    let limits: AttachmentLimits
    let images: any ImageProcessing
    let scanner: ClamScanner?

    func finish(
        _ upload: SealedUpload,
        of request: UploadRequest,
        into store: any BlobStore,
        as blob: UUID
    ) async throws -> AttachmentRows.Completion {
        var file = upload
        try await file.inspect()
        guard let head = file.head, let digest = file.digest else { throw AttachmentError.empty }
        let type = FileFormat.type(of: head, as: request.kind, said: request.contentType)
        guard let type else { throw AttachmentError.unsupportedFormat }
        file.details.contentType = type
        if let scanner { try await scanner.scan(file) }
        var thumbnailBytes = 0
        var fullBytes = file.bytes
        if request.kind == .image {
            (fullBytes, thumbnailBytes) = try await finishImage(&file, into: store, as: blob)
        } else {
            try await store.put([.full: file.file], as: blob)
        }
        guard let hmac = try await rows.keyring.hmac(of: Array(digest), by: request.owner) else {
            throw AttachmentError.unknownOwner
        }
        return AttachmentRows.Completion(
            blob: blob,
            place: store.place,
            length: Int64(file.bytes),
            fullBytes: Int64(fullBytes),
            thumbnailBytes: Int64(thumbnailBytes),
            sealed: try await rows.seal(file.details, of: request.owner, as: request.id),
            contentHMAC: hmac
        )
    }

    /// The picture that came is not kept: what is has none of its metadata.
    private func finishImage(
        _ file: inout SealedUpload,
        into store: any BlobStore,
        as blob: UUID
    ) async throws -> (full: Int, thumbnail: Int) {
        let upload = file
        let made = try await images.process { try await upload.content() }
        file.details.contentType = made.contentType
        file.details.width = made.width
        file.details.height = made.height
        file.details.blurhash = made.blurhash
        file.details.thumbnailType = made.thumbnailType
        let directory = (file.path as NSString).deletingLastPathComponent
        var files: [AttachmentLinks.Size: DiskFile] = [:]
        do {
            for (bytes, size) in [(made.full, AttachmentLinks.Size.full), (made.thumbnail, .thumbnail)] {
                let sealed = try FileCipher(file.details.cipherKey, file: file.id, size).seal(all: bytes)
                let path = "\(directory)/\(blob.uuidString.lowercased()).\(size.rawValue)"
                let written = try await DiskFile.create(path)
                files[size] = written
                try await written.append(sealed)
            }
            try await store.put(files, as: blob)
        } catch {
            for written in files.values { try? await Disk.remove(written.path) }
            throw error
        }
        try? await Disk.remove(file.path)
        return (made.full.count, made.thumbnail.count)
    }

    func remove(_ blob: UUID, from store: any BlobStore) async {
        for size in AttachmentLinks.Size.allCases { try? await store.remove(BlobName(blob, size)) }
    }
}
