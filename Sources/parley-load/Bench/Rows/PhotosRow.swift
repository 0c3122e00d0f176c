import Foundation
import NIOCore
import Synchronization

/// Photos of 12 megapixels per minute and core that makes them, until they can be sent; and what that does to messages meanwhile.
struct PhotosRow: BenchRow {
    /// Rounds of sends alone, each with one beside photos, for each of `--runs`.
    private static let pairsPerRun = 4

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        // As many as a server has at work that is not told otherwise.
        let helpers = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
        subject.progress.note("  making a photo")
        let photo = Photo.make()
        // One more than are worked on, so that no helper waits for the next.
        let people = try await subject.crowd.people(helpers + 1)
        let sends = ScheduledSends(subject: subject, groups: try await subject.crowd.groups(settings.groups, of: 3))
        return try await Uploader.with(people.count, to: subject.server) { uploader in
            let photographers = Photographers(subject: subject, uploader: uploader, people: people, photo: photo)
            try await photographers.warmUp()
            var rates: [Double] = []
            for _ in 1...settings.runs {
                rates.append(try await photographers.run(for: .seconds(settings.seconds)) / Double(helpers))
            }
            let pairs = try await Self.pairs(of: sends, and: photographers, settings)
            return findings(rates, pairs, helpers: helpers, settings, photo.readableBytes)
        }
    }

    /// Many short rounds, and not a few long ones: what the machine does now and then then moves a few ratios, of which the median
    /// is none. Who is first changes from pair to pair, so that what goes one way all the time moves both alike.
    private static func pairs(
        of sends: ScheduledSends,
        and photographers: Photographers,
        _ settings: BenchSettings
    ) async throws -> Pairs {
        let count = settings.runs * pairsPerRun
        let seconds = max(2, settings.seconds * 2 / 5)
        var pairs = Pairs()
        for pair in 1...count {
            let label = "photos: pair \(pair)/\(count)"
            for isBeside in pair.isMultiple(of: 2) ? [true, false] : [false, true] {
                if isBeside {
                    let (result, rate) = try await photographers.work {
                        try await sends.run("\(label), both", rate: settings.rate, seconds: seconds)
                    }
                    pairs.beside.append(result.deliveries)
                    pairs.rates.append(rate)
                } else {
                    let result = try await sends.run("\(label), sends alone", rate: settings.rate, seconds: seconds)
                    pairs.alone.append(result.deliveries)
                }
            }
        }
        return pairs
    }

    private func findings(
        _ rates: [Double],
        _ pairs: Pairs,
        helpers: Int,
        _ settings: BenchSettings,
        _ bytes: Int
    ) -> [Finding] {
        let megabytes = FigureUnit.megabytes.text(Double(bytes) / 1_048_576)
        func p99(_ rounds: [Latencies]) -> [Double] { rounds.map { $0.percentile(99) } }
        func all(_ rounds: [Latencies]) -> Latencies { rounds.reduce(into: Latencies()) { $0.add($1) } }
        let (alone, beside) = (all(pairs.alone), all(pairs.beside))
        return [
            Finding(.photos, "photos of 12 megapixels (JPEG, \(megabytes)) per core at work", rates, .perMinute),
            Finding(
                .photos,
                "the same beside \(settings.rate) sends/s",
                pairs.rates.map { $0 / Double(helpers) },
                .perMinute
            ),
            Finding(
                .photos,
                "send → SSE at \(settings.rate)/s while photos are worked on, p99",
                p99(pairs.beside),
                .milliseconds,
                yardstick: .init("without photos", p99(pairs.alone), .milliseconds),
                goal: Goal(.ratio, .atMost, bar: 1.5, aim: 1.2),
                details: beside.figures
            ),
            Finding(
                .photos,
                "the same, p99 of all rounds together",
                [beside.percentile(99)],
                .milliseconds,
                yardstick: .init("without photos", [alone.percentile(99)], .milliseconds),
                details: alone.figures
            ),
        ]
    }
}

/// What was measured by turns, in the order of the pairs.
private struct Pairs {
    var alone: [Latencies] = []
    var beside: [Latencies] = []
    /// Photos per minute meanwhile.
    var rates: [Double] = []
}

/// People who upload one photo after the other.
private struct Photographers: Sendable {
    let subject: Subject
    let uploader: Uploader
    let people: [Crowd.Person]
    let photo: ByteBuffer

    func warmUp() async throws {
        for person in people { try await upload(by: person) }
    }

    /// - Returns: photos per minute.
    func run(for time: Duration) async throws -> Double {
        let end = ContinuousClock.now + time
        return try await upload { ContinuousClock.now >= end }
    }

    /// Has them upload until the body has ended, and those that are under way then as well.
    ///
    /// - Returns: what the body does, and photos per minute.
    func work<Value>(during body: () async throws -> Value) async throws -> (Value, Double) {
        let stop = StopSign()
        async let rate = upload { stop.isUp }
        let value = try await body()
        stop.putUp()
        return (value, try await rate)
    }

    private func upload(until isOver: @escaping @Sendable () -> Bool) async throws -> Double {
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for person in people {
                group.addTask {
                    var count = 0
                    while !isOver() {
                        try await upload(by: person)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) * 60 / (ContinuousClock.now - start).seconds
    }

    private func upload(by person: Crowd.Person) async throws {
        let token = try await subject.crowd.token(of: person)
        let id = try await uploader.put(photo, kind: "image", type: "image/jpeg", token: token)
        // What is kept does not grow with the time of the run.
        try await uploader.delete(id, token: token)
    }
}

private final class StopSign: Sendable {
    private let state = Mutex(false)

    var isUp: Bool { state.withLock { $0 } }

    func putUp() {
        state.withLock { $0 = true }
    }
}
