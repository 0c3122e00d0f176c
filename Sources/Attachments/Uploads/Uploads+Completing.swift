import Crypto
import Foundation
import Messaging

/// What becomes of an upload when its last byte has come, and of its pieces.
extension Uploads {
    /// Nothing of it is kept: its id may be used again.
    func refuse(_ id: UUID, _ parts: [StoredAttachment.Part], _ token: UUID) async {
        try? await rows.refuse(id, by: token)
        await removeParts(parts)
    }

    func removeParts(_ parts: [StoredAttachment.Part]) async {
        for part in parts { try? await Disk.remove(path(of: part.id)) }
    }

    /// - Parameter last: the piece that this request brought.
    func finish(
        _ last: DiskFile,
        _ upload: UploadRequest,
        _ details: FileDetails,
        _ parts: [StoredAttachment.Part],
        _ token: UUID,
        total: Int64,
        noted: Int64,
        _ digest: SHA256Digest?,
        _ head: Data?
    ) async throws -> UploadOutcome {
        do {
            let whole = parts.count == 1 ? last : try await join(parts, total: Int(total), as: token)
            var file = SealedUpload(file: whole, id: upload.id, bytes: Int(total), details: details)
            file.digest = digest
            file.head = head
            // Once more, now that it is known how much it is.
            try await checkQuota(of: upload.owner, adding: total - noted)
            try await complete(file, upload, token)
            await forget(parts.filter { $0.id != token })
            try? await Disk.remove(path(of: token))
            guard let stored = try await rows.find(upload.id) else { throw AttachmentError.notFound }
            AttachmentMetrics.uploaded(upload.kind, bytes: total)
            return .complete(stored, isNew: true)
        } catch {
            if parts.count > 1 { try? await Disk.remove(path(ofWhole: token)) }
            switch error {
            // It will not get better, or there is to be room again.
            case AttachmentError.unsupportedFormat, AttachmentError.unreadableImage, AttachmentError.harmful,
                AttachmentError.quota, AttachmentError.tooLarge, AttachmentError.full:
                await refuse(upload.id, parts, token)
            default:
                await keep(parts, of: upload.id, token, total: total)
                // Deleting has removed what this request had as well.
                if await isGone(upload.id) { throw AttachmentError.overtaken }
            }
            // Whoever has taken it over has removed what this request had, and no disk is to blame.
            if let known = try? await rows.find(upload.id), known.upload != token {
                // It has brought the same: then both have.
                guard known.isComplete, known.kind == upload.kind, let digest, try await isContent(digest, of: known)
                else { throw AttachmentError.overtaken }
                return .complete(known, isNew: false)
            }
            throw error is BlobMissing ? AttachmentError.lost : error
        }
    }

    /// Whether the database says that there is no such upload.
    private func isGone(_ id: UUID) async -> Bool {
        do {
            guard case nil = try await rows.find(id) else { return false }
            return true
        } catch {
            return false
        }
    }

    /// Keeps what has come whole, and notes that it is there.
    private func complete(_ file: SealedUpload, _ upload: UploadRequest, _ token: UUID) async throws {
        do {
            let completion = try await finisher.finish(file, of: upload, into: store, as: token)
            try await rows.complete(completion, of: upload.id, by: token)
        } catch {
            // The database may have noted it, and been lost before it said so. As long as it cannot be asked, the bytes stay:
            // they go with the pieces.
            if try await rows.find(upload.id)?.blob == token { return }
            // What does not answer would not remove anything either; it goes with the pieces, too.
            if error as? AttachmentError != .unavailable { await finisher.remove(token, from: store) }
            throw error
        }
    }

    // MARK: Pieces

    /// Notes what is left of an upload that could not be completed: all but the last chunk, which is brought again, or nothing
    /// where the bytes have gone on their way.
    private func keep(_ parts: [StoredAttachment.Part], of id: UUID, _ token: UUID, total: Int64) async {
        let kept = (total - 1) / Int64(FileCipher.chunkBytes) * Int64(FileCipher.chunkBytes)
        // The last piece was to have another name at once, or none: neither it nor its own name may survive the machine yet.
        let last = path(of: token)
        let safe: Void? = try? await Disk.run { [directory] in
            try Disk.syncFile(last)
            try Disk.syncDirectory(directory)
        }
        if safe != nil, (try? await holds(parts, upTo: kept)) == true {
            try? await rows.note(received: kept, length: total, of: id, by: token)
        } else {
            try? await rows.forgetParts(of: id, by: token)
        }
    }

    /// Whether the pieces are on this disk as far as was noted: it may be another machine's, or have lost them.
    func holds(_ parts: [StoredAttachment.Part], upTo offset: Int64) async throws -> Bool {
        for (place, part) in parts.enumerated() where part.start < offset {
            let next = place + 1 < parts.count ? parts[place + 1].start : offset
            let chunks = (min(next, offset) - part.start) / Int64(FileCipher.chunkBytes)
            guard chunks > 0 else { continue }
            let size = try await Disk.size(of: path(of: part.id)) ?? 0
            guard size >= Int(chunks) * FileCipher.sealedChunkBytes else { return false }
        }
        return true
    }

    /// Removes pieces, and what may have been made of them where that could not be noted: of a picture beside its piece.
    func forget(_ parts: [StoredAttachment.Part]) async {
        for part in parts { await finisher.remove(part.id, from: store) }
        await removeParts(parts)
    }

    /// The pieces as one file: sealed chunks know their places, so that they need only be put together.
    private func join(
        _ parts: [StoredAttachment.Part],
        total: Int,
        as token: UUID
    ) async throws -> DiskFile {
        let file = try await DiskFile.create(path(ofWhole: token))
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
        return file
    }
}
