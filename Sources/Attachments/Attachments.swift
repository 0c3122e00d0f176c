package import EventStore
package import Foundation
package import Logging
package import Messaging
package import NIOCore
package import Postgres

/// The files that people upload: taken in, kept sealed, given out, and collected. One per process.
package final class Attachments: Sendable {
    package struct Settings: Sendable {
        /// Where uploads come in, and where files are kept that are not elsewhere.
        package var directory: String
        /// The program that makes pictures.
        package var imageHelper: String
        package var imagesAtOnce = 1
        package var limits = AttachmentLimits()
        package var scanner: ClamScanner?
        /// Where new files go; nil for the directory.
        package var bucket: S3Bucket?

        package init(directory: String, imageHelper: String) {
            self.directory = directory
            self.imageHelper = imageHelper
        }
    }

    package let limits: AttachmentLimits
    package let signer: LinkSigner
    let rows: AttachmentRows
    let uses: AttachmentUses
    let disk: DiskBlobs
    let bucket: S3Blobs?
    package let directory: String
    let uploadDirectory: String
    private let images: ImageHelpers
    private let scanner: ClamScanner?
    private let uploads: Uploads
    let logger: Logger

    /// Makes the directories where they are missing.
    package init(
        _ settings: Settings,
        pool: PostgresPool,
        keyring: Keyring,
        signer: LinkSigner,
        logger: Logger
    ) {
        AttachmentMetrics.begin()
        self.logger = logger
        limits = settings.limits
        self.signer = signer
        rows = AttachmentRows(pool: pool, keyring: keyring)
        uses = AttachmentUses(rows: rows)
        directory = settings.directory
        uploadDirectory = "\(settings.directory)/uploads"
        disk = DiskBlobs(directory: "\(settings.directory)/files")
        bucket = settings.bucket.map { S3Blobs($0) }
        // Without them there are no files, and all else.
        do {
            for directory in [uploadDirectory, disk.directory] { try Disk.makeDirectory(directory) }
        } catch {
            logger.warning(
                "Files cannot be kept",
                metadata: ["directory": "\(settings.directory)", "reason": "\(error)"]
            )
        }
        images = ImageHelpers(program: settings.imageHelper, width: settings.imagesAtOnce, logger: logger)
        scanner = settings.scanner
        let finisher = UploadFinisher(rows: rows, limits: settings.limits, images: images, scanner: settings.scanner)
        uploads = Uploads(
            rows: rows,
            limits: settings.limits,
            directory: uploadDirectory,
            store: bucket ?? disk,
            finisher: finisher
        )
    }

    func prepare() async {
        await images.prepare()
    }

    package func close() async {
        images.close()
        await bucket?.close()
    }

    // MARK: Uploading

    /// Takes a file from its first byte on; the same bytes under the same id are found to be there.
    ///
    /// - Throws: ``AttachmentError``, what the body throws, database errors.
    package func put(
        _ upload: UploadRequest,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        try await uploads.put(upload, body)
    }

    /// Goes on with an upload that was cut short.
    package func goOn(
        with id: UUID,
        of owner: UUID,
        at offset: Int64,
        length: Int64?,
        isWhole: Bool,
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    ) async throws -> UploadOutcome {
        try await uploads.goOn(with: id, of: owner, at: offset, length: length, isWhole: isWhole, body)
    }

    /// A file, whoever's; nil where there is none, or not any more.
    package func find(_ id: UUID) async throws -> StoredAttachment? {
        try await rows.find(id)
    }

    /// A file of a reported message, for those who run the server; nil where the report has none such, or waits no longer.
    package func find(_ id: UUID, heldBy report: UUID) async throws -> StoredAttachment? {
        try await rows.find(id, heldBy: report)
    }

    /// Takes back a file that is in no message.
    package func withdraw(_ id: UUID, of owner: UUID) async throws {
        if try await rows.withdraw(id, of: owner) { return }
        guard let file = try await rows.find(id), file.owner == owner else { throw AttachmentError.notFound }
        throw AttachmentError.inUse
    }

    // MARK: Belonging

    /// Makes files of a person's belong to a message that is about to be sent.
    ///
    /// - Returns: in the order of `ids`, those that could be: of the person's own, complete, and in no other message.
    package func claim(
        _ ids: [UUID],
        of owner: UUID,
        for message: UUID,
        in conversation: UUID
    ) async throws -> [AttachedFile] {
        guard !ids.isEmpty else { return [] }
        return try await uses.claim(ids, of: owner, for: .init(conversation: conversation, message: message)).map(
            \.file
        )
    }

    /// Makes files belong to a message that passes them on.
    ///
    /// - Returns: those that are still there.
    package func share(
        _ ids: [UUID],
        by sender: UUID,
        for message: UUID,
        in conversation: UUID
    ) async throws -> Set<UUID> {
        try await uses.share(ids, by: sender, for: .init(conversation: conversation, message: message))
    }

    /// A message was not sent, or not with these files: they belong to nothing.
    ///
    /// - Parameters:
    ///   - some: nil for all that it was to have.
    ///   - isScheduledKept: whether those stay of what is scheduled under the message's id.
    package func release(
        _ message: UUID,
        in conversation: UUID,
        only some: [UUID]? = nil,
        isScheduledKept: Bool = false
    ) async throws {
        try await uses.release(
            .init(conversation: conversation, message: message),
            only: some,
            isGone: false,
            isScheduledKept: isScheduledKept
        )
    }

    /// The messages through which somebody may have a file, as far as that is known.
    package func uses(of id: UUID, for person: UUID) async throws -> [AttachmentUses.Use] {
        let known = try await uses.uses(of: id, for: person, limit: 50)
        let newest = try await uses.newestUses(of: id, limit: 20)
        return known + newest.filter { !known.contains($0) }
    }

    package func claimPicture(_ id: UUID, of owner: UUID, for subject: UUID, isGroup: Bool) async throws -> Bool {
        try await uses.claimPicture(id, of: owner, for: subject, isGroup: isGroup) != nil
    }

    package func subjects(of id: UUID) async throws -> [(subject: UUID, isGroup: Bool)] {
        try await uses.subjects(of: id)
    }

    /// Has those of these files go that were the picture of a person or group, but not what was entered later than the present one.
    package func releasePictures(_ files: [UUID], of subject: UUID, present: UUID?) async throws {
        try await uses.releasePictures(files, of: subject, present: present)
    }

    package func isUsed(_ id: UUID) async throws -> Bool {
        try await uses.isUsed(id)
    }

    /// All files of an erased person go.
    package func forget(_ person: UUID) async throws {
        try await uses.forget(person)
    }

    // MARK: Reading

    func store(_ place: BlobPlace) throws -> any BlobStore {
        switch place {
        case .disk: return disk
        case .s3:
            guard let bucket else { throw AttachmentError.unavailable }
            return bucket
        }
    }

    /// All places where files may be.
    var stores: [any BlobStore] {
        guard let bucket else { return [disk] }
        return [disk, bucket]
    }

    /// Where new files go.
    var newStore: any BlobStore { bucket ?? disk }

    // MARK: Operation

    /// What those who watch the server should know.
    package var troubles: [(name: String, ask: @Sendable () async -> String?)] {
        var all: [(String, @Sendable () async -> String?)] = [
            (
                "attachments",
                { [disk, bucket] in
                    if let bucket { return await bucket.trouble() }
                    return await disk.trouble()
                }
            ),
            ("images", { [images] in await images.trouble() }),
        ]
        if let scanner { all.append(("scanner", { await scanner.trouble() })) }
        return all
    }
}
