import CoreMetrics
import Foundation
import Logging

/// What follows from what a service answered, for the row, the device and the service.
struct PushOutcomeHandling: Sendable {
    /// An address that was refused is tried once more after this, and forgotten if it is refused again while others are not.
    static let refusalPause = Duration.seconds(60)
    private static let credentialsPause = Duration.seconds(60)
    private static let longestPause = Duration.seconds(3_600)

    let queue: PushQueue
    let breakers: PushBreakers
    let platform: PushPlatform
    let moment: @Sendable () -> ContinuousClock.Instant
    let logger: Logger

    func result(
        of outcome: PushOutcome,
        _ kind: PushDecision.Kind,
        _ job: PushJob,
        _ device: PushDevice
    ) async throws -> PushCompletion.Result {
        switch outcome {
        case .accepted:
            await change(job.origin) { $0.answered(for: job.person, at: moment()) }
            try await queue.accepted(job, kind, wasRefused: device.refusedAt != nil)
            return .accepted(kind)
        case .addressGone(let reason, let since):
            await change(job.origin) { $0.answered(for: job.person, at: moment()) }
            if try await queue.forget(job, unlessRenewedAfter: since) {
                PushMetrics.removedDevice(platform)
                return .dropped(.noAddress)
            }
            return retry(job, kind, reason)
        case .addressRefused(let reason):
            return try await refused(job, kind, device, reason)
        case .unserved:
            return .dropped(.noAddress)
        case .retry(let pause, let reason):
            if let pause {
                await change(job.origin) { $0.open(for: pause, reason, at: moment()) }
                return .postponed(by: min(pause, Self.longestPause) + .milliseconds(Int.random(in: 0...1_000)))
            }
            let isOut = await change(job.origin) { $0.failed(reason, at: moment()) }
            // What a service that is out refuses is not the notification's fault.
            return isOut ? .postponed(by: job.backOff()) : retry(job, kind, reason)
        case .backOffDevice(let pause, let reason):
            let pause = min(pause, Self.longestPause)
            await change(job.origin) { $0.throttled(for: job.person, pause: pause, reason, at: moment()) }
            try await queue.silence(job, for: pause)
            return .postponed(by: pause)
        case .credentialsRefused(let reason):
            await change(job.origin) { $0.open(for: Self.credentialsPause, reason, at: moment()) }
            return .postponed(by: Self.credentialsPause)
        case .rejected(let reason):
            await change(job.origin) { $0.answered(for: job.person, at: moment()) }
            return .dead(kind, reason: reason)
        }
    }

    private func refused(
        _ job: PushJob,
        _ kind: PushDecision.Kind,
        _ device: PushDevice,
        _ reason: String
    ) async throws -> PushCompletion.Result {
        let isOut = await change(job.origin) { $0.answered(for: job.person, refusing: true, at: moment()) }
        if isOut { return .postponed(by: Self.refusalPause) }
        if let first = device.refusedAt, first.timeIntervalSinceNow < -(Self.refusalPause / .seconds(1)) / 2 {
            if try await queue.forget(job, unlessRenewedAfter: nil) { PushMetrics.removedDevice(platform) }
            return .dropped(.noAddress)
        }
        try await queue.noteRefusal(job)
        return job.attempts + 1 < PushJob.maxAttempts
            ? .retry(after: Self.refusalPause) : .dead(kind, reason: reason)
    }

    private func retry(_ job: PushJob, _ kind: PushDecision.Kind, _ reason: String) -> PushCompletion.Result {
        job.attempts + 1 < PushJob.maxAttempts ? .retry(after: job.backOff()) : .dead(kind, reason: reason)
    }

    /// Changes the service's breaker, and says so where people look.
    ///
    /// - Returns: whether the service is left alone now.
    @discardableResult
    private func change(_ origin: String, _ body: (inout CircuitBreaker) -> Void) async -> Bool {
        if let change = breakers.change(origin, at: moment(), body) {
            PushMetrics.openBreakers(platform).record(breakers.openCount)
            let metadata: Logger.Metadata = ["service": "\(change.origin)", "reason": "\(change.reason)"]
            if change.pause != nil {
                logger.warning("a push service is left alone for now", metadata: metadata)
            } else {
                logger.notice("a push service takes notifications again", metadata: ["service": "\(change.origin)"])
            }
            // For people alone: where it fails, they see an older state.
            try? await queue.note(change)
        }
        return breakers.pause(origin, at: moment()) != nil
    }
}
