import CoreMetrics
import Crypto
import EventStore
import Foundation
import Messaging
import NIOCore
import ParleyWire

/// Takes files in: streamed to the disk, whole or piece by piece, and looked at when they are complete.
struct Uploads: Sendable {
    let rows: AttachmentRows
    let limits: AttachmentLimits
    let directory: String
    let store: any BlobStore
    let finisher: UploadFinisher

    private func path(of part: UUID) -> String { "\(directory)/\(part.uuidString.lowercased()).part" }

    /// Takes a file from its first byte on. The same bytes under the same id are found to be there.
    func put(
        _ upload: UploadRequest,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        if let length = upload.length { try check(length, upload.kind) }
        let token = UUID()
        if let known = try await rows.find(upload.id) {
            guard known.owner == upload.owner else { throw AttachmentError.idTaken }
            if known.isComplete { return try await compare(upload, with: known, body) }
            let details = Self.details(upload)
            guard try await rows.restart(upload, as: token, try await seal(details, upload)) else {
                throw AttachmentError.overtaken
            }
            for part in known.parts { try? await Disk.remove(path(of: part.id)) }
            return try await receive(upload, details, [StoredAttachment.Part(id: token, start: 0)], token, body)
        }
        if try await rows.isTaken(upload.id) { throw AttachmentError.idTaken }
        try await checkQuota(of: upload.owner, adding: upload.length ?? 0, beginsUpload: true)
        let details = Self.details(upload)
        guard try await rows.begin(upload, as: token, try await seal(details, upload)) else {
            throw AttachmentError.overtaken
        }
        return try await receive(upload, details, [StoredAttachment.Part(id: token, start: 0)], token, body)
    }

    /// Goes on with an upload that was cut short.
    func goOn(
        with id: UUID,
        of owner: UUID,
        at offset: Int64,
        length: Int64?,
        isWhole: Bool,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        guard let known = try await rows.find(id), known.owner == owner else { throw AttachmentError.notFound }
        guard !known.isComplete else { throw AttachmentError.offset(received: known.length ?? 0, isComplete: true) }
        guard known.received == offset else {
            throw AttachmentError.offset(received: known.received, isComplete: false)
        }
        if let length, let announced = known.length, length != announced { throw AttachmentError.wrongLength }
        let token = UUID()
        guard try await rows.goOn(with: known, at: offset, as: token) else { throw AttachmentError.overtaken }
        let upload = UploadRequest(
            id: id,
            owner: owner,
            kind: known.kind,
            name: known.details.name,
            contentType: known.details.contentType,
            length: known.length ?? length,
            isWhole: isWhole
        )
        // What came after the offset and was not noted is brought again.
        let parts = known.parts.filter { $0.start < offset } + [StoredAttachment.Part(id: token, start: offset)]
        return try await receive(upload, known.details, parts, token, body)
    }

    private static func details(_ upload: UploadRequest) -> FileDetails {
        FileDetails(
            name: upload.name,
            contentType: upload.contentType ?? "application/octet-stream",
            durationMs: upload.durationMs,
            waveform: upload.waveform
        )
    }

    private func seal(_ details: FileDetails, _ upload: UploadRequest) async throws -> SealedDetails {
        try await rows.seal(details, of: upload.owner, as: upload.id)
    }

    private func check(_ length: Int64, _ kind: AttachedFile.Kind) throws {
        let limit = limits.bytes(of: kind)
        guard length <= Int64(limit) else { throw AttachmentError.tooLarge(limit: limit) }
    }

    func checkQuota(of owner: UUID, adding bytes: Int64, beginsUpload: Bool = false) async throws {
        let usage = try await rows.usage(of: owner)
        guard usage.bytes + bytes <= limits.personBytes else { throw AttachmentError.quota }
        if beginsUpload, usage.pending >= limits.pendingUploads { throw AttachmentError.tooManyUploads }
        if let most = limits.serverBytes, try await rows.totalBytes() + bytes > most { throw AttachmentError.full }
    }

    /// Reads what comes, and tells whether it is what is there.
    private func compare(
        _ upload: UploadRequest,
        with known: StoredAttachment,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        if let length = upload.length, length != known.length { throw AttachmentError.idTaken }
        guard known.kind == upload.kind else { throw AttachmentError.idTaken }
        var digest = SHA256()
        var total: Int64 = 0
        for try await bytes in body {
            total += Int64(bytes.readableBytes)
            try check(total, upload.kind)
            bytes.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
        }
        let hmac = try await rows.keyring.hmac(of: Array(digest.finalize()), by: upload.owner)
        guard total == known.length, let hmac, hmac == known.contentHMAC else { throw AttachmentError.idTaken }
        return .complete(known, isNew: false)
    }

    private func receive(
        _ upload: UploadRequest,
        _ details: FileDetails,
        _ parts: [StoredAttachment.Part],
        _ token: UUID,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        let offset = parts.last?.start ?? 0
        let path = path(of: token)
        let file = try await DiskFile.create(path)
        var incoming = IncomingFile(file, FileCipher(details.cipherKey, file: upload.id, .full), from: offset)
        do {
            for try await bytes in body {
                try await incoming.take(bytes)
                try check(incoming.total, upload.kind)
                if let length = upload.length, incoming.total > length { throw AttachmentError.wrongLength }
                guard incoming.wantsNote else { continue }
                let received = try await incoming.pause()
                try await rows.note(received: received, length: upload.length, of: upload.id, by: token)
                try await checkQuota(of: upload.owner, adding: 0)
            }
            guard upload.isWhole else { return try await pause(&incoming, upload, token) }
            guard incoming.total > 0 else { throw AttachmentError.empty }
            if let length = upload.length, incoming.total != length { throw AttachmentError.wrongLength }
            try await incoming.finish()
        } catch {
            // What has come is of use to whoever goes on; what could not be kept is brought again.
            switch error {
            case AttachmentError.tooLarge, AttachmentError.empty:
                try? await rows.refuse(upload.id, by: token)
                await removeParts(parts)
            case AttachmentError.overtaken:
                try? await Disk.remove(path)
            case AttachmentError.full:
                try? await rows.refuse(upload.id, by: token)
                await removeParts(parts)
            default:
                _ = try? await pause(&incoming, upload, token)
            }
            throw error
        }
        let digest = parts.count == 1 ? incoming.sha256 : nil
        let head = parts.count == 1 ? incoming.head : nil
        return try await finish(upload, details, parts, token, total: incoming.total, digest, head)
    }

    private func pause(
        _ incoming: inout IncomingFile,
        _ upload: UploadRequest,
        _ token: UUID
    ) async throws -> UploadOutcome {
        let received = try await incoming.pause()
        try await rows.note(received: received, length: upload.length, of: upload.id, by: token)
        return .partial(received: received)
    }

    private func removeParts(_ parts: [StoredAttachment.Part]) async {
        for part in parts { try? await Disk.remove(path(of: part.id)) }
    }

    private func finish(
        _ upload: UploadRequest,
        _ details: FileDetails,
        _ parts: [StoredAttachment.Part],
        _ token: UUID,
        total: Int64,
        _ digest: SHA256Digest?,
        _ head: Data?
    ) async throws -> UploadOutcome {
        do {
            let whole = try await join(parts, details, total: Int(total), as: token)
            var file = SealedUpload(path: whole, id: upload.id, bytes: Int(total), details: details)
            file.digest = digest
            file.head = head
            // Once more, now that it is known how much it is.
            try await checkQuota(of: upload.owner, adding: 0)
            do {
                let completion = try await finisher.finish(file, of: upload, into: store, as: token)
                try await rows.complete(completion, of: upload.id, by: token)
            } catch {
                await finisher.remove(token, from: store)
                throw error
            }
            await removeParts(parts)
            guard let stored = try await rows.find(upload.id) else { throw AttachmentError.notFound }
            AttachmentMetrics.uploaded(upload.kind, bytes: total)
            return .complete(stored, isNew: true)
        } catch let error as AttachmentError {
            switch error {
            // It will not get better: the id may be used again.
            case .unsupportedFormat, .unreadableImage, .harmful, .quota, .tooLarge:
                try? await rows.refuse(upload.id, by: token)
                await removeParts(parts)
            default:
                // All of it is here, but for the last chunk, which is brought again.
                let kept = (total - 1) / Int64(FileCipher.chunkBytes) * Int64(FileCipher.chunkBytes)
                try? await rows.note(received: kept, length: total, of: upload.id, by: token)
            }
            throw error
        }
    }

    /// The pieces as one file: sealed chunks know their places, so that they need only be put together.
    private func join(
        _ parts: [StoredAttachment.Part],
        _ details: FileDetails,
        total: Int,
        as token: UUID
    ) async throws -> String {
        guard parts.count > 1 else { return path(of: token) }
        let path = "\(directory)/\(token.uuidString.lowercased()).whole"
        let file = try await DiskFile.create(path)
        let chunks = FileCipher.chunks(of: total)
        for (place, part) in parts.enumerated() {
            let first = Int(part.start) / FileCipher.chunkBytes
            let end = place + 1 < parts.count ? Int(parts[place + 1].start) / FileCipher.chunkBytes : chunks
            for chunk in first..<max(first, end) {
                let range = FileCipher.sealedRange(of: chunk..<chunk + 1, in: total)
                let shift = first * FileCipher.sealedChunkBytes
                let own = range.lowerBound - shift..<range.upperBound - shift
                try await file.append(try await Disk.read(self.path(of: part.id), own))
            }
        }
        try await file.sync()
        return path
    }
}
