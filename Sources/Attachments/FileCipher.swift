import Crypto
import Foundation
import ParleyWire

/// Seals the bytes of a file in chunks, so that any part of it can be read alone: AES-256-GCM under the file's own key, each
/// chunk bound to its file, its place and whether it is the last, so that none can be moved, left out or added.
struct FileCipher: Sendable {
    static let chunkBytes = 65_536
    /// Nonce and tag.
    static let overhead = 28
    static let sealedChunkBytes = chunkBytes + overhead

    private let key: SymmetricKey
    private let file: UUID
    private let size: AttachmentLinks.Size

    init(_ key: SymmetricKey, file: UUID, _ size: AttachmentLinks.Size) {
        self.key = key
        self.file = file
        self.size = size
    }

    /// - Parameter chunk: of ``chunkBytes``, but for the last.
    func seal(_ chunk: some DataProtocol, at index: Int, isLast: Bool) throws -> Data {
        let box = try AES.GCM.seal(chunk, using: key, authenticating: place(index, isLast))
        guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return sealed
    }

    func open(_ sealed: some DataProtocol, at index: Int, isLast: Bool) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: place(index, isLast))
    }

    private func place(_ index: Int, _ isLast: Bool) -> [UInt8] {
        var bytes = withUnsafeBytes(of: file.uuid) { Array($0) }
        bytes.append(size == .full ? 0 : 1)
        withUnsafeBytes(of: UInt64(index).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(isLast ? 1 : 0)
        return bytes
    }

    // MARK: Sizes

    /// How many chunks so many bytes take; at least one.
    static func chunks(of bytes: Int) -> Int { max(1, (bytes + chunkBytes - 1) / chunkBytes) }

    static func sealedBytes(of bytes: Int) -> Int { bytes + chunks(of: bytes) * overhead }

    /// Where chunks lie in the sealed file.
    static func sealedRange(of chunks: Range<Int>, in bytes: Int) -> Range<Int> {
        chunks.lowerBound * sealedChunkBytes..<min(chunks.upperBound * sealedChunkBytes, sealedBytes(of: bytes))
    }

    /// Opens chunks that follow each other.
    func open(_ sealed: Data, chunks: Range<Int>, in bytes: Int) throws -> Data {
        guard sealed.count == Self.sealedRange(of: chunks, in: bytes).count else {
            throw CryptoKitError.authenticationFailure
        }
        var opened = Data(capacity: chunks.count * Self.chunkBytes)
        var rest = sealed[...]
        for index in chunks {
            let isLast = index == Self.chunks(of: bytes) - 1
            opened.append(try open(rest.prefix(Self.sealedChunkBytes), at: index, isLast: isLast))
            rest = rest.dropFirst(Self.sealedChunkBytes)
        }
        return opened
    }

    /// Seals all at once: for what is small.
    func seal(all bytes: Data) throws -> Data {
        var sealed = Data(capacity: Self.sealedBytes(of: bytes.count))
        let count = Self.chunks(of: bytes.count)
        for index in 0..<count {
            let start = bytes.startIndex + index * Self.chunkBytes
            let chunk = bytes[start..<min(bytes.endIndex, start + Self.chunkBytes)]
            sealed.append(try seal(chunk, at: index, isLast: index == count - 1))
        }
        return sealed
    }
}
