import CoreMetrics
import EventSourcing
import EventStore
import Logging
import Postgres
import ServiceLifecycle

/// What the events ask for may take longer than other partitions should wait.
struct LongWork: Error {}

/// A partition that is tried by itself, with its own errors and its own back-off, until it is through.
struct LonePartition: Sendable {
    private static let events = 32
    /// How much longer a statement may take than where others wait for it.
    private static let patience = 12

    let worker: ProjectorWorker
    let gate: Gate
    let trouble: LonePartitions.Trouble

    private var partition: Int { trouble.partition }

    init(worker: ProjectorWorker, gate: Gate, trouble: LonePartitions.Trouble) {
        self.worker = worker
        self.gate = gate
        self.trouble = trouble
    }

    func run() async {
        var limit = Self.events
        var failures = 0
        var error: (any Error)? = trouble.error
        while !worker.isStopping {
            switch error {
            case nil:
                worker.leases?.leave(partition, false)
                return worker.checkpoints.goesOn(partition)
            case is LongWork, is Checkpoint.Overtaken: break
            case let error?:
                failures += 1
                note(error, failures)
                // Down to the event itself: all before it is written.
                if limit == 1 || failures == 1 { await worker.pause(longest(failures, error)) }
                limit = max(1, limit / 2)
            }
            error = await cancelWhenGracefulShutdown { [limit] in await attempt(limit) }
        }
    }

    /// Where a newer program is at work as well, whoever waits here for what it projects is not to wait long.
    private func longest(_ failures: Int, _ error: any Error) -> Int {
        if case ProjectionError.newerEvent = error { min(failures, 5) } else { failures }
    }

    /// - Returns: what kept it from coming to its end, if anything did.
    private func attempt(_ limit: Int) async -> (any Error)? {
        await gate.pass {
            do {
                let session = try await worker.connect(timeout: worker.patience * Self.patience)
                let result = await attempt(limit, in: session)
                await session.connection.close()
                return result
            } catch {
                return error
            }
        }
    }

    private func attempt(_ limit: Int, in session: ProjectorSession) async -> (any Error)? {
        let (connection, generation) = (session.connection, session.generation)
        do {
            var writer = try await PartitionWriter.open(partition: partition, in: .live, on: connection)
            // Also after an error: what came before it is written.
            defer { worker.checkpoints.set(partition, to: writer.position, in: generation) }
            while writer.position < trouble.end, !Task.isCancelled {
                let events = try await worker.feed.events(
                    partition: partition,
                    after: writer.position,
                    limit: limit,
                    in: generation
                )
                guard !events.isEmpty else { return nil }
                try await writer.write(events, on: connection)
                worker.checkpoints.set(partition, to: writer.position, in: generation)
            }
            return nil
        } catch {
            if connection.isClosed { worker.checkpoints.forget([partition]) }
            if let fault = fault(error) {
                // Whoever asks from outside learns of it a little later where the database cannot take it now.
                try? await PartitionFaults.note(fault, on: connection)
            }
            return error
        }
    }

    private func note(_ error: any Error, _ failures: Int) {
        ProjectionMetrics.failures.increment()
        guard let fault = fault(error) else { return }
        worker.checkpoints.stop(fault)
        // What keeps it from going on here need not keep others: a newer program among them.
        worker.leases?.leave(partition, true)
        // Once, and then ever more rarely.
        guard failures & (failures - 1) == 0 else { return }
        worker.logger.warning(
            "a partition of the read models stands still",
            metadata: [
                "partition": "\(partition)", "position": "\(fault.position)", "reason": "\(fault.reason)",
                "failures": "\(failures)",
            ]
        )
    }

    /// Nil where the partition is not to blame.
    private func fault(_ error: any Error) -> PartitionFault? {
        guard !(error is Checkpoint.Overtaken), (try? PartitionFault.refuseGeneral(error)) != nil else { return nil }
        let position = worker.checkpoints.position(of: partition) + 1
        return PartitionFault(partition: partition, position: position, error: error)
    }
}
