import Crypto
import EventStore
import Foundation
import ParleyWire

typealias SealedDetails = SealedDraft

/// A file that has come whole and is sealed on the disk.
struct SealedUpload: Sendable {
    let file: DiskFile
    let id: UUID
    let bytes: Int
    var details: FileDetails
    var digest: SHA256Digest?
    var head: Data?

    var path: String { file.path }

    private var cipher: FileCipher { FileCipher(details.cipherKey, file: id, .full) }

    /// Reads it piece by piece, from its beginning to its end.
    func forEachPiece(_ body: (Data) async throws -> Void) async throws {
        let count = FileCipher.chunks(of: bytes)
        for chunk in 0..<count {
            let range = FileCipher.sealedRange(of: chunk..<chunk + 1, in: bytes)
            let sealed = try await Disk.read(path, range)
            try await body(try cipher.open(sealed, at: chunk, isLast: chunk == count - 1))
        }
    }

    /// All of it: only where it is known to be small.
    func content() async throws -> Data {
        var content = Data(capacity: bytes)
        try await forEachPiece { content.append($0) }
        return content
    }

    /// Finds out what was not found out while it came.
    mutating func inspect() async throws {
        guard digest == nil || head == nil else { return }
        var hash = SHA256()
        var first: Data?
        try await forEachPiece { piece in
            hash.update(data: piece)
            if first == nil { first = Data(piece.prefix(FileFormat.sniffedBytes)) }
        }
        digest = hash.finalize()
        head = first
    }
}
