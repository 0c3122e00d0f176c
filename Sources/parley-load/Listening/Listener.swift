import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// A person's stream, kept open over cuts, stalls and killed servers, and all that it brought.
actor Listener {
    static let timelineLimit = 20

    private enum Mode {
        case reading, stalled, cut, ended
    }

    nonisolated let name: String
    nonisolated let userID: WireID
    private let account: Account
    private let http: HTTPClient
    private let report: CheckReport
    private(set) var reducer: Reducer
    private(set) var seen = SeenMessages()
    private(set) var connections = 0
    /// Whether the server was reached since the last failure: patience begins anew then.
    private var wasConnected = false
    private var lastEventID: String
    /// What the server asked for when it ended the last connection.
    private var reconnectDelay = Duration.zero
    private var isReady = false
    private var mode = Mode.reading
    private var modeWaiters: [CheckedContinuation<Void, Never>] = []
    private var connection: Task<Void, any Error>?

    /// Takes a snapshot, from whose cursor the stream will go on.
    init(name: String, account: Account, http: HTTPClient, report: CheckReport) async throws {
        let snapshot = try await Listener.snapshot(of: account)
        self.name = name
        self.account = account
        self.http = http
        self.report = report
        userID = snapshot.me.id
        reducer = Reducer(snapshot: snapshot, timelineLimit: Listener.timelineLimit)
        lastEventID = snapshot.cursor
    }

    static func snapshot(of account: Account) async throws -> SyncSnapshot {
        let target = "/v1/sync?window=200&timelineLimit=\(timelineLimit)"
        let answer = try await account.send(.get(target))
        guard answer.status == 200 else { throw APIFailure.unexpected(request: target, answer: answer.summary) }
        return try answer.decode(SyncSnapshot.self)
    }

    /// Follows the stream until `end()`; comes back after every break.
    func run() async throws {
        try await withTaskCancellationHandler {
            try await followAlways()
        } onCancel: {
            // Who is cut off or stalled waits for a word, not for the task.
            Task { await end() }
        }
    }

    private func followAlways() async throws {
        var backoff = Backoff(patience: account.client.patience)
        while mode != .ended {
            await waitWhile { $0 == .cut }
            guard mode != .ended else { return }
            let before = connections
            let task = Task { try await self.follow() }
            connection = task
            do {
                try await task.value
                // The server has ended the stream: in peace, with a word on when to come back, or not.
                try await backoff.wait(atLeast: reconnectDelay)
            } catch {
                try Task.checkCancellation()
                // Patience is for connections that cannot be made, not for those that last and then break.
                if connections > before { backoff = Backoff(patience: account.client.patience) }
                guard !task.isCancelled else { continue }
                guard !backoff.isExhausted else {
                    throw APIFailure.unreachable(request: "stream of \(name)", reason: "\(error)")
                }
                try await backoff.wait()
            }
        }
    }

    var hasCaughtUp: Bool { isReady }

    func cut() {
        guard mode == .reading else { return }
        change(to: .cut)
        connection?.cancel()
    }

    func stall() {
        guard mode == .reading else { return }
        change(to: .stalled)
    }

    func comeBack() {
        guard mode != .ended else { return }
        change(to: .reading)
    }

    func end() {
        change(to: .ended)
        connection?.cancel()
    }

    func patched(_ me: Me) {
        reducer.patched(me)
    }

    /// Where the state that the events made differs from a fresh snapshot; asks again until it does not, or too long.
    func differencesFromFreshSnapshot(patience: Duration) async throws -> [String] {
        let deadline = ContinuousClock.now + patience
        while true {
            let fresh = try await Listener.snapshot(of: account)
            let differences = SnapshotComparison(followed: reducer, fresh: fresh).differences()
            if differences.isEmpty || ContinuousClock.now > deadline { return differences }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func change(to new: Mode) {
        mode = new
        let waiters = modeWaiters
        modeWaiters = []
        waiters.forEach { $0.resume() }
    }

    private func waitWhile(_ condition: (Mode) -> Bool) async {
        while condition(mode) {
            await withCheckedContinuation { modeWaiters.append($0) }
        }
    }

    /// One connection, from the cursor to its end.
    private func follow() async throws {
        var request = HTTPClientRequest(url: account.client.servers.next() + "/v1/stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try await account.accessToken())")
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: ParleyHeader.lastEventID, value: lastEventID)
        let response = try await http.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            throw APIFailure.unexpected(request: "stream of \(name)", answer: "\(response.status.code)")
        }
        connections += 1
        reconnectDelay = .zero
        wasConnected = true
        var parser = EventParser(lastEventID: lastEventID)
        for try await chunk in response.body {
            for event in try parser.feed(chunk.readableBytesView) { take(event) }
            lastEventID = parser.lastEventID
            try await fetchPending()
            // Not reading on is what fills the server's buffers.
            await waitWhile { $0 == .stalled }
            try Task.checkCancellation()
        }
    }

    private func take(_ raw: ServerSentEvent) {
        let event: StreamEvent
        do {
            event = try StreamEvent(name: raw.name, data: raw.data)
        } catch {
            report.fail(.streamEvents, "\(name): \(raw.name) has other data than the contract says")
            return
        }
        // One without belongs with the event that follows, whatever its kind.
        let mayHaveID = event.knownName?.hasID ?? true
        report.compare(
            .streamEvents,
            event != .reset && (mayHaveID || !raw.hasOwnID),
            "\(name): \(raw.name) \(event == .reset ? "came" : "has an id")"
        )
        switch event {
        case .messageCreated(let created): seen.take(created)
        case .ready: isReady = true
        case .goAway(let notice): reconnectDelay = .milliseconds(min(max(notice.reconnectInMs, 0), 10_000))
        default: break
        }
        reducer.apply(event)
    }

    /// Fetches what the contract leaves to be fetched; what fails stays pending.
    private func fetchPending() async throws {
        for fetch in reducer.pendingFetches {
            switch fetch {
            case .history(let id):
                let answer = try await account.send(
                    .get("/v1/conversations/\(id)/messages?limit=\(Listener.timelineLimit)", waitFor: lastEventID)
                )
                // Gone again in the meantime: the stream will tell.
                if answer.status == 200 { reducer.fetched(try answer.decode(HistoryPage.self), of: id) }
            case .participants(let id):
                let path = "/v1/conversations/\(id)/participants"
                if let all: [Participant] = try await account.allPages(path, waitFor: lastEventID) {
                    reducer.fetched(all, of: id)
                }
            }
            reducer.pendingFetches.remove(fetch)
        }
    }
}
