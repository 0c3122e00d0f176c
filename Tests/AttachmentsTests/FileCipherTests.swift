import Crypto
import Foundation
import ParleyWire
import Testing

@testable import Attachments

@Suite struct `A sealed file` {
    private let file = UUID()
    private let key = SymmetricKey(size: .bits256)
    private var cipher: FileCipher { FileCipher(key, file: file, .full) }

    @Test(arguments: [1, 65_535, 65_536, 65_537, 200_000]) func `opens chunk by chunk`(count: Int) throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let sealed = try cipher.seal(all: bytes)
        #expect(sealed.count == FileCipher.sealedBytes(of: count))
        let chunks = FileCipher.chunks(of: count)
        #expect(try cipher.open(sealed, chunks: 0..<chunks, in: count) == bytes)
        let last = FileCipher.sealedRange(of: chunks - 1..<chunks, in: count)
        let end = try cipher.open(Data(sealed[last]), chunks: chunks - 1..<chunks, in: count)
        #expect(end == bytes.dropFirst((chunks - 1) * FileCipher.chunkBytes))
    }

    @Test func `opens nowhere else, and neither cut nor put together anew`() throws {
        let bytes = Data(repeating: 7, count: 3 * FileCipher.chunkBytes)
        let sealed = try cipher.seal(all: bytes)
        let chunk = FileCipher.sealedChunkBytes
        #expect(throws: (any Error).self) { try cipher.open(Data(sealed.prefix(chunk)), at: 0, isLast: true) }
        #expect(throws: (any Error).self) { try cipher.open(Data(sealed.prefix(chunk)), at: 1, isLast: false) }
        let others = [FileCipher(key, file: UUID(), .full), FileCipher(key, file: file, .thumbnail)]
        for other in others {
            #expect(throws: (any Error).self) { try other.open(Data(sealed.prefix(chunk)), at: 0, isLast: false) }
        }
        // The first two chunks are no file of two.
        let cut = Data(sealed.prefix(2 * chunk))
        #expect(throws: (any Error).self) {
            try cipher.open(cut, chunks: 0..<2, in: 2 * FileCipher.chunkBytes)
        }
    }
}
