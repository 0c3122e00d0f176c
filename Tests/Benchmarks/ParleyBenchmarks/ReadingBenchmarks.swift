import Benchmark
import Foundation
import NIOCore
import ParleyWire

@testable import Edge

/// What an answer to a read costs after its query.
func addReadingBenchmarks() {
    let page = Sample.history
    Benchmark("read: write a page of 50 messages") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(JSONWriter.data(of: page)) }
    }

    let encoder = WireJSON.encoder()
    Benchmark("read: the same page by JSONEncoder") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(try encoder.encode(page)) }
    }

    let content = ByteBuffer(bytes: JSONWriter.data(of: page))
    Benchmark("read: tag a page") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(EntityTag(of: content)) }
    }

    Benchmark("read: compress a page") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(await Gzip.compress(content)) }
    }

    let known = Array(repeating: "W/\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"", count: 200).joined(separator: ", ")
    Benchmark("read: search 200 known tags") { benchmark in
        let tag = EntityTag(of: content)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(tag.matches(ifNoneMatch: known)) }
    }
}
