import EventSourcing
package import EventStore
package import Foundation
package import Logging
import Messaging
package import ParleyWire
package import Postgres
package import ReadModels
import Synchronization

/// Who is there, and who is told of it. One per process; in memory, but for when people were last seen.
package final class Presences: Sendable {
    /// Within it, each process has published to the others everything it says of people.
    private static let round: Duration = .seconds(20)
    /// As many streams are read at once.
    static let readAtOnce = 100
    /// Where somebody asks for everything, so many people's presence is published at each tick.
    private static let mostAtOnce = 500

    let state: Mutex<PresenceState>
    let standstills = Mutex(PresenceStandstills())
    let queries: Queries
    let checkpoints: Checkpoints
    let feed: Feed
    let rows: PresenceRows
    let clock: LiveClock
    let logger: Logger
    /// That there are streams whose targets are to be read.
    let reads: AsyncStream<Void>
    private let read: AsyncStream<Void>.Continuation
    private let news = Mutex(News())

    private struct News {
        var handler: @Sendable (PresenceNews) -> Void = { _ in }
        /// Whose presence is still to be published in this round, and when the next begins.
        var rest: [UUID] = []
        var atOnce = 1
        var nextRound: ContinuousClock.Instant?
    }

    package init(
        queries: Queries,
        checkpoints: Checkpoints,
        feed: Feed,
        pool: PostgresPool,
        clock: LiveClock = LiveClock(),
        logger: Logger
    ) {
        self.queries = queries
        self.checkpoints = checkpoints
        self.feed = feed
        self.clock = clock
        self.logger = logger
        rows = PresenceRows(pool: pool)
        state = Mutex(PresenceState(at: clock.now().instant))
        (reads, read) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        feed.onEvents { [weak self] events in
            for event in events { self?.note(event) }
        }
    }

    // MARK: Streams

    /// The partitions whose read models are waited for, in vain so far: streams that are to be read are told of nobody meanwhile.
    var standing: Set<Int> { standstills.withLock { $0.partitions } }

    func opened(_ stream: Subscription) {
        state.withLock { $0.board.opened(stream.session, of: stream.person, at: clock.now()) }
    }

    func isLive(_ stream: Subscription) {
        state.withLock { $0.isLive(stream) }
        read.yield()
    }

    func closed(_ stream: Subscription) {
        state.withLock { state in
            state.ended(stream)
            state.board.closed(stream.session, of: stream.person, at: clock.now())
        }
    }

    func revoked(_ stream: Subscription) {
        state.withLock { $0.board.revoked(stream.session, of: stream.person, at: clock.now()) }
    }

    // MARK: What clients say and do

    /// A client of the session has done something.
    package func isActive(_ session: UUID, of person: UUID) {
        let now = clock.now()
        let passesOn = state.withLock { state in
            guard !state.board.isHere(session, of: person) else {
                state.board.isActive(session, of: person, at: now)
                return false
            }
            return state.passesOn(session, of: person, at: now.instant)
        }
        if passesOn { publish(PresenceNews(words: [PresenceNews.Word(nil, session, of: person)])) }
    }

    /// A client of the session says whether the person is there, which holds until it says otherwise, or its stream has ended.
    package func says(_ status: PresenceStatus, _ session: UUID, of person: UUID) {
        guard let word = PresenceBoard.Status(status) else { return }
        state.withLock { $0.board.says(word, session, of: person, at: clock.now()) }
        // The session may have streams elsewhere, too.
        publish(PresenceNews(words: [PresenceNews.Word(word.rawValue, session, of: person)]))
    }

    /// Has the streams of a session show those for whom it asked now.
    package func subscriptionsChanged(of session: UUID, by person: UUID) {
        state.withLock { $0.subscriptionsChanged(of: session, by: person) }
        read.yield()
        publish(PresenceNews(sessions: [session: person]))
    }

    /// Whether a person is there, whoever may see it.
    package func status(of person: UUID) -> PresenceStatus {
        state.withLock { $0.board.status(of: person) }.wire
    }

    // MARK: Other processes

    /// Calls `handler` with what is to be published to the other processes. It must not block.
    package func onNews(_ handler: @escaping @Sendable (PresenceNews) -> Void) {
        news.withLock { $0.handler = handler }
    }

    /// Takes in what another process has published.
    package func receive(_ update: PresenceNews, from process: UUID) {
        let now = clock.now()
        state.withLock { state in
            for (person, status) in update.statuses {
                let isGoodbye = status == PresenceNews.goodbye
                guard let status = isGoodbye ? .offline : PresenceBoard.Status(rawValue: status) else { continue }
                state.board.received(status, of: person, from: process, at: now, waits: !isGoodbye)
            }
            for word in update.words {
                if let status = word.status.flatMap(PresenceBoard.Status.init) {
                    state.board.says(status, word.session, of: word.person, at: now)
                } else {
                    state.board.isActive(word.session, of: word.person, at: now)
                }
            }
            for (session, person) in update.sessions { state.subscriptionsChanged(of: session, by: person) }
        }
        if !update.sessions.isEmpty { read.yield() }
        if update.asks { publishAll() }
    }

    /// What was said may have been lost: everybody says everything again.
    package func hintOfGap() {
        publish(PresenceNews(asks: true))
        publishAll()
    }

    private func publishAll() {
        let here = state.withLock { Array($0.board.here) }
        news.withLock { news in
            news.rest = here
            news.atOnce = Self.mostAtOnce
        }
    }

    func publish(_ update: PresenceNews) {
        guard !update.isEmpty else { return }
        news.withLock { $0.handler }(update)
    }

    /// What has changed, and this tick's part of all the rest.
    func takeNews(at now: ContinuousClock.Instant) -> PresenceNews {
        var statuses = state.withLock { state in
            state.board.takeOwnChanged().mapValues { $0.isGoodbye ? PresenceNews.goodbye : $0.status.rawValue }
        }
        let isNextRound = news.withLock { news in news.nextRound.map { $0 <= now } ?? true }
        let here = isNextRound ? state.withLock { Array($0.board.here) } : nil
        let part = news.withLock { news in
            if let here {
                news.nextRound = now + Self.round
                news.rest = here
                // Through before the next begins.
                news.atOnce = max(news.atOnce, 1 + here.count / Int(Self.round / LiveClock.tick * 3 / 4))
            }
            let part = Array(news.rest.suffix(news.atOnce))
            news.rest.removeLast(part.count)
            if news.rest.isEmpty { news.atOnce = 1 }
            return part
        }
        state.withLock { state in
            for person in part where statuses[person] == nil { statuses[person] = state.board.own(person).rawValue }
        }
        return PresenceNews(statuses: statuses)
    }
}

// MARK: Rights

extension Presences {
    /// Whoever may no longer see somebody is told nothing more, from this event on.
    private func note(_ record: RecordedEvent) {
        switch record.body {
        case .event(let event as ConversationEvent): note(event, record)
        case .event(let event as UserEvent):
            let person = record.stream.id
            switch event {
            case .profileChanged(let change) where change.showPresence != nil: note(record, seeing: [person])
            case .erased, .deactivated, .reactivated: note(record, seeing: [person])
            case .registered, .profileChanged: break
            }
        default: break
        }
    }

    private func note(_ event: ConversationEvent, _ record: RecordedEvent) {
        switch event {
        case .started(let started) where started.kind == .direct: note(record, viewers: started.members.map(\.id))
        case .participantRemoved(let removed): note(record, viewers: [removed.person], seeing: [removed.person])
        case .blockChanged(let block): note(record, viewers: [block.person, block.blocked])
        default: break
        }
    }

    private func note(_ record: RecordedEvent, viewers: [UUID] = [], seeing people: [UUID] = []) {
        state.withLock {
            $0.rightsChanged(of: viewers, seeing: people, in: record.partition, at: record.position)
        }
        read.yield()
    }
}

extension PresenceBoard.Status {
    init?(_ status: PresenceStatus) {
        switch status {
        case .online: self = .online
        case .away: self = .away
        case .offline: self = .offline
        default: return nil
        }
    }

    var wire: PresenceStatus {
        switch self {
        case .online: .online
        case .away: .away
        case .offline: .offline
        }
    }
}
