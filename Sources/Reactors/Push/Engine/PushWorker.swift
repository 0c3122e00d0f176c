import CoreMetrics
import Foundation
import Logging
import ReadModels
import Synchronization

/// Sends what is due over one provider: claims rows, decides anew what to say of each, sends outside of any transaction, and
/// gives the rows back. Each provider has one, with its own bound, so that one that hangs holds up no other.
final class PushWorker: Sendable {
    /// What is under way at once.
    static let slots = 128
    /// Of one service, so that one push service of many leaves room for the others.
    static let slotsOfOrigin = 96
    private static let batch = 64
    /// Looked for without being woken: what other processes have queued, and left.
    private static let poll = Duration.seconds(1)
    private static let tick = Duration.milliseconds(100)
    /// The same where nothing waits, and nobody else queues.
    private static let (restingPoll, restingTick) = (Duration.seconds(10), Duration.seconds(1))
    private static let longestPause = Duration.seconds(10)

    private struct State {
        var underWay: [String: Int] = [:]
        var completed: [(claim: UUID, completion: PushCompletion)] = []
        var nextDue: ContinuousClock.Instant?
        /// Whether nothing was left to be sent when it was last looked.
        var isEmpty = false
        var isStopping = false

        var count: Int { underWay.values.reduce(0, +) }
    }

    private let provider: any PushProvider
    private let platform: PushPlatform
    private let queue: PushQueue
    private let queries: Queries
    private let breakers = PushBreakers()
    private let logger: Logger
    /// The time that services are left alone by.
    private let moment: @Sendable () -> ContinuousClock.Instant
    private let mayRest: @Sendable () -> Bool
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameter mayRest: whether no other process queues anything, as far as this one knows.
    init(
        _ provider: any PushProvider,
        _ platform: PushPlatform,
        queue: PushQueue,
        queries: Queries,
        moment: @escaping @Sendable () -> ContinuousClock.Instant,
        mayRest: @escaping @Sendable () -> Bool,
        logger: Logger
    ) {
        self.provider = provider
        self.platform = platform
        self.queue = queue
        self.queries = queries
        self.moment = moment
        self.mayRest = mayRest
        self.logger = logger
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// There may be something to send.
    func wake() { waker.yield() }

    /// Claims nothing more; what is under way is finished.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Works until stopped, or cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchClock() }
            await withDiscardingTaskGroup { sends in
                var failures = 0
                for await _ in wakes {
                    do {
                        try await flushCompletions()
                        if state.withLock({ $0.isStopping }) { break }
                        try await claim(&sends)
                        failures = 0
                    } catch {
                        if Task.isCancelled { break }
                        failures += 1
                        PushMetrics.failures.increment()
                        if failures == 1 {
                            logger.warning(
                                "push notifications wait",
                                metadata: ["error": "\(String(reflecting: type(of: error)))"]
                            )
                        }
                        // Ends early only by cancellation.
                        try? await Task.sleep(for: min(Self.longestPause, .milliseconds(100) * (1 << min(failures, 7))))
                        wake()
                    }
                }
            }
            // Whatever was under way has ended.
            try? await flushCompletions()
            group.cancelAll()
        }
    }

    private func watchClock() async {
        var polledAt = moment()
        while !Task.isCancelled {
            let rests = state.withLock { $0.isEmpty } && mayRest()
            try? await Task.sleep(for: rests ? Self.restingTick : Self.tick)
            let now = moment()
            let isDue = state.withLock { $0.nextDue.map { $0 <= now } ?? false }
            guard isDue || now - polledAt >= (rests ? Self.restingPoll : Self.poll) else { continue }
            polledAt = now
            wake()
        }
    }

    private func claim(_ sends: inout DiscardingTaskGroup) async throws {
        while true {
            let now = moment()
            let (free, underWay) = state.withLock { state in (Self.slots - state.count, state.underWay) }
            let closed = breakers.open(at: now) + underWay.filter { $0.value >= Self.slotsOfOrigin }.map(\.key)
            guard free > 0 else { return }
            let limit = min(free, Self.batch)
            let claim = try await queue.claim(platform, limit: limit, without: closed, underWay: underWay)
            if !claim.jobs.isEmpty { try await begin(claim, &sends) }
            guard claim.jobs.count < limit else { continue }
            let next = try await queue.nextDue(platform, without: closed)
            state.withLock { state in
                state.nextDue = next.map { moment() + .seconds(max(0, $0.timeIntervalSinceNow)) }
                state.isEmpty = next == nil && closed.isEmpty
            }
            return
        }
    }

    private func begin(_ claim: PushQueue.Claim, _ sends: inout DiscardingTaskGroup) async throws {
        let devices = try await queue.devices(of: claim.jobs)
        let facts = try await queries.pushFacts(
            of: claim.jobs.map { job in
                PushSubject(conversation: job.conversation, person: job.person, fromSeq: job.fromSeq, seq: job.seq)
            }
        )
        guard facts.count == claim.jobs.count else { return }
        for (index, job) in claim.jobs.enumerated() {
            let (now, device) = (Date(), devices[index])
            switch PushDecision(job, facts[index], device, at: now) {
            case .drop(let reason): end(job, claim.id, .dropped(reason), at: now)
            case .send(let notification, let kind):
                guard let address = device.address else { continue }
                if let wait = pause(of: job, device, at: now) {
                    end(job, claim.id, .postponed(by: wait), at: now)
                    continue
                }
                state.withLock { $0.underWay[job.origin, default: 0] += 1 }
                sends.addTask {
                    let result = await self.send(notification, kind, job, device, to: address)
                    self.end(job, claim.id, result, at: Date())
                    self.state.withLock { state in
                        state.underWay[job.origin, default: 1] -= 1
                        if state.underWay[job.origin] == 0 { state.underWay[job.origin] = nil }
                    }
                    self.wake()
                }
            }
        }
        try await flushCompletions()
    }

    /// How long a job waits that is not to be tried now: its service, or its device, is left alone.
    private func pause(of job: PushJob, _ device: PushDevice, at now: Date) -> Duration? {
        if let until = device.silentUntil, until > now { return .seconds(until.timeIntervalSince(now)) }
        let instant = moment()
        guard !breakers.admits(job.origin, at: instant) else { return nil }
        return (breakers.pause(job.origin, at: instant) ?? .seconds(5)) + .milliseconds(Int.random(in: 0...1_000))
    }

    private func send(
        _ notification: PushNotification,
        _ kind: PushDecision.Kind,
        _ job: PushJob,
        _ device: PushDevice,
        to address: PushAddress
    ) async -> PushCompletion.Result {
        let outcome = await provider.send(notification, to: address)
        PushMetrics.note(outcome, platform)
        provider.note(outcome, for: job.person, at: job.origin)
        do {
            let handling = PushOutcomeHandling(
                queue: queue,
                breakers: breakers,
                platform: platform,
                moment: moment,
                logger: logger
            )
            return try await handling.result(of: outcome, kind, job, device)
        } catch {
            // The database is away: it is tried again, with the same id.
            return .retry(after: job.backOff())
        }
    }

    // MARK: Completing

    private func end(_ job: PushJob, _ claim: UUID, _ result: PushCompletion.Result, at now: Date) {
        let completion = PushCompletion(job, result, at: now)
        PushMetrics.note(completion, platform)
        state.withLock { $0.completed.append((claim, completion)) }
    }

    /// Gives back what has ended, all at once. Where that fails it is tried once more with the next; the claims end by
    /// themselves.
    private func flushCompletions() async throws {
        let completed = state.withLock { state in
            defer { state.completed = [] }
            return state.completed
        }
        guard !completed.isEmpty else { return }
        do {
            try await queue.complete(completed, on: platform)
        } catch {
            state.withLock { $0.completed = completed + $0.completed }
            throw error
        }
    }
}
