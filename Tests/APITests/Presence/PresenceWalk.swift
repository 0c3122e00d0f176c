import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Live

/// Two servers on one database, people who come and go at either, and what each stream has been told.
final class PresenceWalk {
    typealias Status = PresenceBoard.Status
    typealias Device = PresenceModel.Device

    struct Running {
        let id: UUID
        let server: LiveServer
        let stop: AsyncStream<Void>.Continuation
        let task: Task<Void, any Error>
    }

    /// An open stream, and what its client shows.
    struct Watching {
        let stream: LiveStream
        let server: UUID
        let device: Device
        var shown: [UUID: Status] = [:]
        /// Who shares a conversation since after the stream's targets were last set: shown now, or later.
        var perhaps: Set<UUID> = []
        var typing: [StreamEvent.TypingUpdated] = []
    }

    let clock = HandTurnedClock()
    let links = ProcessLinks()
    var random: SeededRandom
    var running: [Running] = []
    var devices: [Device: LivePerson] = [:]
    var watching: [Watching] = []
    var model = PresenceModel(people: [])
    /// What has been done, for whoever looks at a failure.
    private(set) var steps: [String] = []
    private var marks = 0
    private var permitted = Permitted()

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    // MARK: Servers

    func start() async throws {
        let id = UUID()
        let (clock, links) = (clock, links)
        let (started, signal) = AsyncStream.makeStream(of: LiveServer.self)
        let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { signal.finish() }
            try await LiveServer.with { options in
                options.clock = clock.join(id)
                options.join = { links.join(id, $0) }
                options.onTyping = { links.typing($0, by: $1, in: $2, from: id) }
            } _: { server in
                signal.yield(server)
                for await _ in stopped {}
            }
        }
        for await server in started {
            running.append(Running(id: id, server: server, stop: stop, task: task))
            model.starts(id)
            return
        }
        try await task.value
    }

    /// As if the process had been killed: it tells nobody anything.
    func kill(_ place: Int) async throws {
        let dead = running.remove(at: place)
        links.leave(dead.id)
        model.dies(dead.id)
        for watched in watching where watched.server == dead.id { watched.stream.cut() }
        watching.removeAll { $0.server == dead.id }
        try await end(dead)
    }

    func end() async throws {
        for one in running { try await end(one) }
    }

    private func end(_ one: Running) async throws {
        one.stop.finish()
        try await one.task.value
        clock.leave(one.id)
    }

    func server(_ id: UUID) throws -> LiveServer { try #require(running.first { $0.id == id }).server }

    // MARK: Steps

    /// What may be published while a step lasts.
    private struct Permitted {
        /// By stream.
        var seen: [Set<UUID>] = []
        var statuses: [UUID: [UUID: Set<UInt8>]] = [:]

        mutating func add(_ statuses: [UUID: [UUID: ClosedRange<Status>]]) {
            for (server, people) in statuses {
                for (person, range) in people {
                    self.statuses[server, default: [:]][person, default: []].formUnion(
                        range.lowerBound.rawValue...range.upperBound.rawValue
                    )
                }
            }
        }
    }

    private func visible() -> [Set<UUID>] {
        watching.map { watched in
            model.targets(of: watched.device).filter { model.maySee($0, watched.device.person) }
        }
    }

    /// Does something, waits until all is quiet, and checks what every stream received.
    ///
    /// - Parameter jump: seconds that pass first.
    func step(_ what: String, passing jump: Int = 0, _ body: () async throws -> Void) async throws {
        steps.append(what)
        permitted = Permitted(seen: visible())
        let before = watching.map(\.stream)
        permitted.add(model.all())
        for _ in 0..<jump { await turn(1) }
        try await body()
        permitted.add(model.all())
        let after = visible()
        permitted.seen = watching.enumerated().map { place, watched in
            let old = before.firstIndex { $0 === watched.stream }.map { permitted.seen[$0] } ?? []
            return after[place].union(old)
        }
        try await waitUntilCurrent()
        // Until nothing has changed for longer than anything is held back.
        var quiet = 0
        while quiet < 10 {
            let last = model.all()
            await turn(0.25)
            quiet = model.all() == last ? quiet + 1 : 0
        }
        try await checkStreams()
    }

    /// Says what is done within a step.
    func note(_ what: String) { steps.append(what) }

    func turn(_ seconds: Double) async {
        // What a stream is told waits while it is read whom it may see: no time passes meanwhile.
        for one in running { await waitUntilRead(at: one) }
        await clock.turn(.milliseconds(Int(seconds * 1_000)))
        model.pass(seconds)
        permitted.add(model.all())
    }

    /// Waits until each server has the streams that its clients have, has passed on the log and read whom its streams are told
    /// of.
    func waitUntilCurrent() async throws {
        for one in running {
            let hub = one.server.hub
            let people = watching.filter { $0.server == one.id }.map(\.device.person)
            while hub.openStreams != people.count { await Task.yield() }
            try await one.server.eventStore.feed.poll()
            try await one.server.waitForReadModels()
            let heads = try await one.server.eventStore.log.heads()
            while zip(hub.vector.positions, heads).contains(where: { $0 < $1 }) { await Task.yield() }
            // One that was sent back to the log is told nothing until it is live again.
            for person in people {
                let streams = people.count(where: { $0 == person })
                while hub.state.withLock({ $0.liveStreams(of: person) }) != streams { await Task.yield() }
            }
            await waitUntilRead(at: one)
        }
    }

    private func waitUntilRead(at one: Running) async {
        while one.server.hub.presences.state.withLock({ $0.isReading }) { await Task.yield() }
    }

    // MARK: What streams received

    private func checkStreams() async throws {
        marks += 1
        for place in watching.indices {
            let watched = watching[place]
            let hub = try server(watched.server).hub
            hub.send(to: watched.device.person, EventBlock(.ping, data: "\(marks)".utf8), in: hub.epoch)
            var typing: [StreamEvent.TypingUpdated] = []
            var isOpen = false
            while !isOpen, let event = await watched.stream.nextOfAll() {
                if event.name == StreamEventName.ping.rawValue {
                    isOpen = event.data == "\(marks)"
                    continue
                }
                switch try StreamEvent(event) {
                case .presenceUpdated(let update): take(update, at: place)
                case .typingUpdated(let update): typing.append(update)
                case .goAway, .reset: Issue.record("a stream was told \(event.name): \(trace)")
                default: break
                }
            }
            #expect(isOpen, "a stream has ended: \(trace)")
            #expect(typing == watched.typing, "\(trace)")
            watching[place].typing = []
            check(watching[place])
        }
    }

    private func take(_ update: StreamEvent.PresenceUpdated, at place: Int) {
        let (person, watched) = (update.userId.uuid, watching[place])
        guard let status = Status(update.presence.status) else {
            Issue.record("\(update)")
            return
        }
        watching[place].shown[person] = status
        guard status > .offline || update.presence.lastSeen != nil else { return }
        #expect(permitted.seen[place].contains(person), "told of \(person), who may not be seen: \(trace)")
        let statuses = permitted.statuses[watched.server]?[person] ?? []
        #expect(statuses.contains(status.rawValue), "told \(status), which nobody was: \(trace)")
    }

    private func check(_ watched: Watching) {
        for person in model.targets(of: watched.device) {
            let shown = watched.shown[person] ?? .offline
            if shown == .offline, watched.perhaps.contains(person) { continue }
            let maySee = model.maySee(person, watched.device.person)
            let expected = maySee ? model.statuses(of: person, at: watched.server) : .offline ... .offline
            #expect(expected.contains(shown), "\(watched.device.person) was told of \(person): \(trace)")
        }
    }

    private var trace: String {
        "at \(clock.seconds) s, after \(steps.suffix(16).joined(separator: "; "))"
    }

    // MARK: Requests

    @discardableResult
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        by device: Device,
        at one: Running
    ) async throws -> ByteBuffer {
        var headers: HTTPFields = [.authorization: "Bearer \(try #require(devices[device]).token)"]
        if body != nil { headers[.contentType] = "application/json" }
        let response = try await one.server.client.execute(
            uri: "/v1/\(path)",
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        )
        try #require((200..<300).contains(response.status.code), "\(path): \(String(buffer: response.body)), \(trace)")
        model.isActive(device, at: one.id)
        return response.body
    }
}
