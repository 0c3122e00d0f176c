import Crypto
import Foundation
import NIOCore
import ParleyWire

/// Takes in the bytes of an upload: sealed in whole chunks, on their way to the disk, and never more than a chunk of them in
/// memory.
struct IncomingFile: ~Copyable {
    /// After so many bytes what has come is made safe and noted.
    static let noteEvery = 4 << 20

    private let file: DiskFile
    private let cipher: FileCipher
    private var pending: [UInt8] = []
    private var digest = SHA256()
    private var chunk: Int
    /// Of the upload, with what came before; those that are not sealed yet included.
    private(set) var total: Int64
    /// What is counted as the person's by now.
    private(set) var noted: Int64
    private(set) var head = Data()

    init(_ file: DiskFile, _ cipher: FileCipher, from offset: Int64) {
        self.file = file
        self.cipher = cipher
        total = offset
        noted = offset
        chunk = Int(offset) / FileCipher.chunkBytes
        pending.reserveCapacity(2 * FileCipher.chunkBytes)
    }

    /// What is sealed and written: in whole chunks.
    var written: Int64 { total - Int64(pending.count) }

    var isNoteDue: Bool { written - noted >= Int64(Self.noteEvery) }

    var sha256: SHA256Digest { digest.finalize() }

    mutating func take(_ bytes: ByteBuffer) async throws {
        bytes.withUnsafeReadableBytes { bytes in
            digest.update(bufferPointer: bytes)
            pending.append(contentsOf: bytes)
        }
        if head.count < FileFormat.sniffedBytes {
            head.append(contentsOf: bytes.readableBytesView.prefix(FileFormat.sniffedBytes))
        }
        total += Int64(bytes.readableBytes)
        // One chunk stays back: it may be the last, and is sealed as such.
        while pending.count > FileCipher.chunkBytes {
            try await write(pending[..<FileCipher.chunkBytes], isLast: false)
            pending.removeFirst(FileCipher.chunkBytes)
        }
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, isLast: Bool) async throws {
        try await file.append(try cipher.seal(bytes, at: chunk, isLast: isLast))
        chunk += 1
    }

    /// What more is to follow: a chunk that is whole is written, what is less is left out, and comes again. What is returned is
    /// on the disk, and its name is.
    mutating func pause() async throws -> Int64 {
        if pending.count == FileCipher.chunkBytes {
            try await write(pending[...], isLast: false)
            pending = []
        }
        try await file.sync()
        try await file.syncName()
        noted = written
        return written
    }

    /// Writes what is left. It is synced where it is kept: a picture is not kept as it came, nor what goes to a bucket here.
    mutating func finish() async throws {
        try await write(pending[...], isLast: true)
        pending = []
    }
}
