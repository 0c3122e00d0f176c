import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Edge

struct GzipTests {
    @Test(arguments: [0, 1, 2, 1_400, 65_535, 65_536, 65_537, 131_072, 1_000_003])
    func `what is compressed is what was there`(size: Int) async throws {
        var random = SeededRandom(seed: UInt64(size))
        // Half text that compresses well, half noise that grows.
        let content = (0..<size).map { place in
            place < size / 2 ? UInt8(truncatingIfNeeded: place % 60) : UInt8.random(in: 0...255, using: &random)
        }
        let compressed = try #require(await Gzip.compress(ByteBuffer(bytes: content)))
        #expect(try gunzip(compressed) == content)
    }

    @Test func `what is compressed once is smaller, and is what was there`() async throws {
        var random = SeededRandom(seed: 7)
        let words = ["const ", "return ", "store.", "state", "(id) => ", "conversation", ";\n", "{ ", " }"]
        let content = (0..<20_000).flatMap { _ in Array(words[Int.random(in: 0..<words.count, using: &random)].utf8) }
        let quick = try #require(await Gzip.compress(ByteBuffer(bytes: content)))
        let thorough = try #require(await Gzip.compressThoroughly(ByteBuffer(bytes: content)))
        #expect(try gunzip(thorough) == content)
        #expect(thorough.readableBytes < quick.readableBytes * 9 / 10)
    }

    @Test func `many at once do not disturb each other`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let content = Array(repeating: Array("\(number) ".utf8), count: 50_000).flatMap { $0 }
                    let compressed = try #require(await Gzip.compress(ByteBuffer(bytes: content)))
                    #expect(compressed.readableBytes < 2_000)
                    #expect(try gunzip(compressed) == content)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `the same content comes in different lengths`() async throws {
        let content = ByteBuffer(repeating: UInt8(ascii: "a"), count: 5_000)
        var lengths: Set<Int> = []
        for _ in 0..<100 { lengths.insert(try #require(await Gzip.compress(content)).readableBytes) }
        #expect(lengths.count > 10)
        let (least, most) = (try #require(lengths.min()), try #require(lengths.max()))
        #expect(most - least <= 64)
    }
}
