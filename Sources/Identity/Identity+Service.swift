import Logging
import ServiceLifecycle

extension Identity: Service {
    private static let writingInterval: Duration = .seconds(60)
    private static let mailInterval: Duration = .seconds(1)
    private static let cleaningInterval: Duration = .seconds(60 * 60)

    /// Follows what other processes revoke, notes when sessions were last used, sends mails, and now and then deletes
    /// what is long dead.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in
                    await repeating("Revocations cannot be read", every: configuration.pollInterval) {
                        try await revocations.poll(inEach: configuration.pollInterval)
                    }
                }
                group.addTask { [self] in await revocations.followHints() }
                group.addTask { [self] in
                    await repeating("The use of sessions cannot be noted", every: Self.writingInterval) {
                        try await writeLastSeen()
                    }
                }
                group.addTask { [self] in
                    await repeating("What is over cannot be deleted", every: Self.cleaningInterval) {
                        while try await sessions.deleteDead() > 0 {}
                        while try await issuedTokens.deleteOver(at: now()) > 0 {}
                        while try await signInAttempts.deleteOver(at: now()) > 0 {}
                        try await signingKeys.deleteOver(at: now())
                    }
                }
                group.addTask { [self] in
                    await repeating("Signing keys cannot be read", every: KeyRotation.pollInterval) {
                        try await reloadKeys()
                    }
                }
                group.addTask { [self] in
                    await repeating("The outbox cannot be looked after", every: Self.writingInterval) {
                        try await maintainOutbox()
                    }
                }
                group.addTask { [self] in
                    await repeating("The outbox cannot be read", every: Self.mailInterval) {
                        if outbox.activity.beginSearch(mayRest: revocations.mayRest) { try await mailWorker.sendDue() }
                    }
                }
            }
        }
        // Requests have ended by now, so this is all there is.
        do { try await writeLastSeen() } catch {
            if !Task.isCancelled { logger.warning("The use of sessions cannot be noted", error: error) }
        }
    }

    /// Works now and then until the task is cancelled.
    private func repeating(_ failure: Logger.Message, every interval: Duration, _ work: () async throws -> Void) async {
        var isFailing = false
        while !Task.isCancelled {
            do {
                try await work()
                isFailing = false
            } catch {
                // Once per outage: the database's own troubles are logged where they arise.
                if !isFailing, !Task.isCancelled { logger.warning(failure, error: error) }
                isFailing = true
            }
            try? await Task.sleep(for: interval)
        }
    }
}
