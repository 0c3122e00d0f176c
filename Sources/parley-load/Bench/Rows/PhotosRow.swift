import Foundation
import NIOCore
import Synchronization

/// Photos of 12 megapixels per minute and core that makes them, until they can be sent; and what that does to messages meanwhile.
struct PhotosRow: BenchRow {
    /// Rounds of sends alone, each with one beside photos, for each of `--runs`.
    private static let pairsPerRun = 4

    /// Messages for each photo: WhatsApp's own count was 55 billion messages and 4.5 billion photos a day (company's blog, 26 July
    /// 2017). At a rate of its own a machine with slow cores would have no room for both, and one with fast cores too much.
    private static let messagesPerPhoto = 12.0

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
            let usualRate = max(1, Int(Statistics.median(rates) * Double(helpers) / 60 * Self.messagesPerPhoto))
            let usual = try await Self.pairs(of: sends, at: usualRate, and: photographers, settings)
            let many = try await Self.pairs(of: sends, at: settings.rate, and: photographers, settings)
            let megabytes = FigureUnit.megabytes.text(Double(photo.readableBytes) / 1_048_576)
            let made = "photos of 12 megapixels (JPEG, \(megabytes)) per core at work"
            return [Finding(.photos, made, rates, .perMinute)]
                + findings(usual, "twelve messages for each photo", helpers: helpers, isJudged: true)
                + findings(many, "\(settings.rate) messages/s", helpers: helpers, isJudged: false)
        }
    }

    /// Many short rounds, and not a few long ones: what the machine does now and then then moves a few ratios, of which the median
    /// is none. Who is first changes from pair to pair, so that what goes one way all the time moves both alike.
    private static func pairs(
        of sends: ScheduledSends,
        at rate: Int,
        and photographers: Photographers,
        _ settings: BenchSettings
    ) async throws -> Pairs {
        let count = settings.runs * pairsPerRun
        // Fewer sends need more time, for a p99 that is more than a few of them.
        let share = rate < settings.rate ? 4 : 2
        let seconds = max(2, settings.seconds * share / 5)
        var pairs = Pairs(sendsPerSecond: rate)
        for pair in 1...count {
            let label = "photos: \(rate)/s, pair \(pair)/\(count)"
            for isBeside in pair.isMultiple(of: 2) ? [true, false] : [false, true] {
                if isBeside {
                    let (result, photosPerMinute) = try await photographers.work {
                        try await sends.run("\(label), both", rate: rate, seconds: seconds)
                    }
                    pairs.beside.append(result.deliveries)
                    pairs.photoRates.append(photosPerMinute)
                } else {
                    let result = try await sends.run("\(label), sends alone", rate: rate, seconds: seconds)
                    pairs.alone.append(result.deliveries)
                }
            }
        }
        return pairs
    }

    /// - Parameter isJudged: whether the bar is for these. It is not where the sends by themselves take about half of two
    ///   processors: beside a helper there is more to do then than can be done, whoever stands back.
    private func findings(_ pairs: Pairs, _ sends: String, helpers: Int, isJudged: Bool) -> [Finding] {
        func p99(_ rounds: [Latencies]) -> [Double] { rounds.map { $0.percentile(99) } }
        func all(_ rounds: [Latencies]) -> Latencies { rounds.reduce(into: Latencies()) { $0.add($1) } }
        let (alone, beside) = (all(pairs.alone), all(pairs.beside))
        let rate = pairs.sendsPerSecond
        return [
            Finding(
                .photos,
                "\(sends): photos per core beside \(rate) sends/s",
                pairs.photoRates.map { $0 / Double(helpers) },
                .perMinute
            ),
            Finding(
                .photos,
                "\(sends): send → SSE at \(rate)/s while photos are worked on, p99",
                p99(pairs.beside),
                .milliseconds,
                yardstick: .init("without photos", p99(pairs.alone), .milliseconds),
                goal: isJudged ? Goal(.ratio, .atMost, bar: 1.5, aim: 1.2) : nil,
                details: beside.figures
            ),
            Finding(
                .photos,
                "\(sends): the same, p99 of all rounds together",
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
    let sendsPerSecond: Int
    var alone: [Latencies] = []
    var beside: [Latencies] = []
    /// Photos per minute meanwhile.
    var photoRates: [Double] = []
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
