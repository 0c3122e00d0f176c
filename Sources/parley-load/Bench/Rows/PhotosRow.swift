import Foundation
import NIOCore

/// Photos of 12 megapixels per minute and core that makes them, until they can be sent; and what that does to messages meanwhile.
struct PhotosRow: BenchRow {
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
            var (rates, alone, beside): ([Double], [OpenLoop.Result], [OpenLoop.Result]) = ([], [], [])
            for run in 1...settings.runs {
                let label = "photos \(run)/\(settings.runs)"
                rates.append(try await photographers.run(for: .seconds(settings.seconds)) / Double(helpers))
                alone.append(
                    try await sends.run("\(label): sends alone", rate: settings.rate, seconds: settings.seconds)
                )
                // Longer than the sends take, their warming up and last deliveries included.
                async let meanwhile = photographers.run(for: .seconds(settings.seconds + 8))
                beside.append(try await sends.run("\(label): both", rate: settings.rate, seconds: settings.seconds))
                _ = try await meanwhile
            }
            return findings(rates, alone, beside, settings, photo.readableBytes)
        }
    }

    private func findings(
        _ rates: [Double],
        _ alone: [OpenLoop.Result],
        _ beside: [OpenLoop.Result],
        _ settings: BenchSettings,
        _ bytes: Int
    ) -> [Finding] {
        func p99(_ results: [OpenLoop.Result]) -> [Double] { results.map { $0.deliveries.percentile(99) } }
        let megabytes = FigureUnit.megabytes.text(Double(bytes) / 1_048_576)
        return [
            Finding(.photos, "photos of 12 megapixels (JPEG, \(megabytes)) per core at work", rates, .perMinute),
            Finding(
                .photos,
                "send → SSE at \(settings.rate)/s while photos are worked on, p99",
                p99(beside),
                .milliseconds,
                yardstick: .init("without photos", p99(alone), .milliseconds),
                goal: Goal(.ratio, .atMost, bar: 1.5, aim: 1.2)
            ),
        ]
    }
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
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for person in people {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now - start < time {
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
