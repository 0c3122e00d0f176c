import AsyncHTTPClient
import Foundation
import NIOCore
import ParleyWire

/// Plays a plan against the servers, and checks.
struct Replay {
    let plan: Plan
    let pictures: Pictures
    let journal: Journal
    let report: CheckReport
    let progress: Progress
    let client: APIClient
    /// For streams: a connection each.
    let streams: HTTPClient
    /// Whether the server may lose its database while it stores a command, and then answer its own repetition of it.
    let expectsFaults: Bool
    /// How many groups are played at the same time.
    let groupsAtOnce: Int
    let concurrency: Int

    func run() async throws {
        progress.begin("signing in", total: plan.people.count)
        let cast = try await Cast.signIn(
            plan,
            client: client,
            journal: journal,
            report: report,
            progress: progress
        )
        let listeners = try await openListeners(cast)
        let stage = Stage(
            plan: plan,
            pictures: pictures,
            client: client,
            cast: cast,
            journal: journal,
            report: report,
            progress: progress,
            listeners: listeners,
            expectsFaults: expectsFaults
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for listener in listeners.values {
                tasks.addTask { try await listener.run() }
            }
            tasks.addTask {
                try await play(stage)
                for listener in listeners.values { await listener.end() }
            }
            // The first failure ends them all: a stream that cannot be opened, or the play itself.
            try await tasks.waitForAll()
        }
    }

    private func play(_ stage: Stage) async throws {
        try await catchUp(stage.listeners.values.map(\.self))
        let replays = plan.groups.map { GroupReplay(group: $0, stage: stage) }
        progress.begin("replaying", total: plan.stepCount)
        _ = try await concurrentMap(replays, width: groupsAtOnce) { try await $0.run() }
        progress.end()
        var played: [PlayedGroup] = []
        for replay in replays { played.append(await replay.played) }
        try await FinalCheck(stage: stage, groups: played, width: concurrency).run()
        await describe(stage, played)
    }

    private func openListeners(_ cast: Cast) async throws -> [PersonNumber: Listener] {
        progress.begin("taking snapshots", total: plan.listeners.count)
        let listeners = try await concurrentMap(plan.listeners, width: concurrency) { person in
            let listener = try await Listener(
                name: plan.people[person].name,
                account: cast.account(person),
                http: streams,
                report: report
            )
            progress.advance()
            return (person, listener)
        }
        return Dictionary(listeners) { first, _ in first }
    }

    /// Nothing is played before every stream says that it is ready.
    private func catchUp(_ listeners: [Listener]) async throws {
        progress.begin("opening streams", total: listeners.count)
        let deadline = ContinuousClock.now + client.patience
        for listener in listeners {
            while await !listener.hasCaughtUp {
                guard ContinuousClock.now < deadline else {
                    throw APIFailure.unexpected(request: "stream of \(listener.name)", answer: "no ready event")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            progress.advance()
        }
    }

    private func describe(_ stage: Stage, _ played: [PlayedGroup]) async {
        var connections = 0
        for listener in stage.listeners.values { connections += await listener.connections }
        let messages = played.reduce(0) { $0 + $1.expected.messages.count }
        progress.end()
        progress.note(
            "\(messages) messages of \(played.count) groups, \(plan.people.count) people, "
                + "\(stage.listeners.count) streams over \(connections) connections"
        )
    }
}
