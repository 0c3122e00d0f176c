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

    func path(of part: UUID) -> String { "\(directory)/\(part.uuidString.lowercased()).part" }

    func path(ofWhole upload: UUID) -> String { "\(directory)/\(upload.uuidString.lowercased()).whole" }

    /// How often one request begins an upload that others take over before its first byte.
    private static let mostBeginnings = 5

    /// Takes a file from its first byte on. The same bytes under the same id are found to be there.
    func put(
        _ upload: UploadRequest,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        if let length = upload.length { try check(length, upload.kind) }
        for _ in 0..<Self.mostBeginnings {
            if let outcome = try await begin(upload, body) { return outcome }
        }
        throw AttachmentError.overtaken
    }

    /// Nil where another request was there between two looks, and nothing of the body is read yet.
    private func begin(
        _ upload: UploadRequest,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome? {
        let token = UUID()
        if let known = try await rows.find(upload.id) {
            guard known.owner == upload.owner else { throw AttachmentError.idTaken }
            if known.isComplete { return try await compare(upload, with: known, body) }
            // What has come of it makes room.
            try await checkQuota(of: upload.owner, adding: (upload.length ?? 0) - known.received)
            let details = Self.details(upload)
            guard try await rows.restart(upload, as: token, try await seal(details, upload)) else { return nil }
            await forget(known.parts)
            return try await receive(upload, details, [StoredAttachment.Part(id: token, start: 0)], token, body)
        }
        if try await rows.isTaken(upload.id) {
            // Another request of the same person's may have begun it, or brought it, between the two looks.
            guard let begun = try await rows.find(upload.id), begun.owner == upload.owner else {
                throw AttachmentError.idTaken
            }
            return nil
        }
        try await checkQuota(of: upload.owner, adding: upload.length ?? 0, beginsUpload: true)
        let details = Self.details(upload)
        guard try await rows.begin(upload, as: token, try await seal(details, upload)) else {
            guard try await rows.isTaken(upload.id) else { throw AttachmentError.overtaken }
            return nil
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
        let whole = known.length ?? length
        if let whole { try check(whole, known.kind) }
        try await checkQuota(of: owner, adding: max(0, (whole ?? offset) - offset))
        let token = UUID()
        guard try await rows.goOn(with: known, at: offset, as: token) else { throw AttachmentError.overtaken }
        guard try await holds(known.parts, upTo: offset) else {
            // Before the row forgets them: nothing else names what a crash had kept under a piece's id, and not noted.
            await forget(known.parts)
            try await rows.forgetParts(of: id, by: token)
            throw AttachmentError.offset(received: 0, isComplete: false)
        }
        let upload = UploadRequest(
            id: id,
            owner: owner,
            kind: known.kind,
            name: known.details.name,
            contentType: known.details.contentType,
            length: whole,
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
        guard total == known.length, try await isContent(digest.finalize(), of: known) else {
            throw AttachmentError.idTaken
        }
        return .complete(known, isNew: false)
    }

    func isContent(_ digest: SHA256Digest, of known: StoredAttachment) async throws -> Bool {
        guard let hmac = try await rows.keyring.hmac(of: Array(digest), by: known.owner) else { return false }
        return hmac == known.contentHMAC
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
        let file: DiskFile
        do {
            file = try await DiskFile.create(path)
        } catch AttachmentError.full {
            await refuse(upload.id, parts, token)
            throw AttachmentError.full
        }
        var incoming = IncomingFile(file, FileCipher(details.cipherKey, file: upload.id, .full), from: offset)
        do {
            for try await bytes in body {
                try await incoming.take(bytes)
                try check(incoming.total, upload.kind)
                if let length = upload.length, incoming.total > length { throw AttachmentError.wrongLength }
                guard incoming.isNoteDue else { continue }
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
            case AttachmentError.tooLarge, AttachmentError.empty, AttachmentError.full:
                await refuse(upload.id, parts, token)
            case AttachmentError.overtaken:
                try? await Disk.remove(path)
            default:
                _ = try? await pause(&incoming, upload, token)
            }
            throw error
        }
        let digest = parts.count == 1 ? incoming.sha256 : nil
        let head = parts.count == 1 ? incoming.head : nil
        return try await finish(
            file,
            upload,
            details,
            parts,
            token,
            total: incoming.total,
            noted: incoming.noted,
            digest,
            head
        )
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
}
