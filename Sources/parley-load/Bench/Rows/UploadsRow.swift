import Foundation
import NIOCore

/// Many large files at once: how much comes in per second, until it is safe, and what the server holds of it in memory.
struct UploadsRow: BenchRow {
    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        let bytes = Self.noise(settings.uploadMegabytes << 20)
        let people = try await subject.crowd.people(settings.uploads)
        return try await Uploader.with(people.count, to: subject.server) { uploader in
            _ = try await Self.run(bytes, uploader, Array(people.prefix(2)), subject)
            let idle = try await ResidentMemory.read(subject.server)
            var (rates, peaks): ([Double], [Double]) = ([], [])
            for run in 1...settings.runs {
                subject.progress.note("  uploads \(run)/\(settings.runs)")
                let (rate, peak) = try await PeakMemory.during(subject.server) {
                    try await Self.run(bytes, uploader, people, subject)
                }
                rates.append(rate)
                peaks.append(Double(peak - idle) / 1_048_576)
            }
            let what = "\(settings.uploads) files of \(settings.uploadMegabytes) MiB at once"
            return [
                Finding(.uploads, "\(what), MiB until they are safe", rates, .perSecond),
                Finding(
                    .uploads,
                    "the server's memory above idle meanwhile, at its peak",
                    peaks,
                    .megabytes,
                    goal: Goal(.figure, .atMost, bar: 128, aim: 64)
                ),
            ]
        }
    }

    /// - Returns: MiB per second.
    private static func run(
        _ bytes: ByteBuffer,
        _ uploader: Uploader,
        _ people: [Crowd.Person],
        _ subject: Subject
    ) async throws -> Double {
        let start = ContinuousClock.now
        let uploaded = try await concurrentMap(people, width: people.count) { person in
            let token = try await subject.crowd.token(of: person)
            let id = try await uploader.put(bytes, kind: "file", type: "application/octet-stream", token: token)
            return (id: id, token: token)
        }
        let seconds = (ContinuousClock.now - start).seconds
        for file in uploaded { try await uploader.delete(file.id, token: file.token) }
        return Double(bytes.readableBytes * people.count) / 1_048_576 / seconds
    }

    /// What nothing makes smaller.
    private static func noise(_ count: Int) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        while buffer.readableBytes < count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            buffer.writeInteger(state)
        }
        return buffer
    }
}
