import Foundation
import TestSupport
import Testing

@testable import Live

/// Who is there, over time.
struct PresenceBoardTests {
    private let start = ContinuousClock.now
    private let ada = UUID()
    private let phone = UUID()
    private let laptop = UUID()
    private let process = UUID()

    private func at(_ seconds: Double) -> PresenceBoard.Moment {
        PresenceBoard.Moment(
            instant: start + .milliseconds(Int(seconds * 1_000)),
            date: Date(timeIntervalSince1970: seconds)
        )
    }

    /// As a process does, four times a second.
    private func advance(_ board: inout PresenceBoard, from begin: Double, to end: Double) {
        for time in stride(from: begin, through: end, by: 0.25) { board.advance(to: at(time)) }
    }

    @Test func `who has a stream is online, away after five minutes without doing anything, offline after the grace`() {
        var board = PresenceBoard(at: start)
        board.opened(phone, of: ada, at: at(0))
        #expect(board.status(of: ada) == .online)
        board.isActive(phone, of: ada, at: at(200))
        board.advance(to: at(400))
        #expect(board.status(of: ada) == .online)
        board.advance(to: at(502))
        #expect(board.status(of: ada) == .away)
        board.isActive(phone, of: ada, at: at(510))
        #expect(board.status(of: ada) == .online)
        board.closed(phone, of: ada, at: at(520))
        board.advance(to: at(549))
        #expect(board.status(of: ada) == .online)
        board.advance(to: at(552))
        #expect(board.status(of: ada) == .offline)
        #expect(board.takeChanged() == [ada: Date(timeIntervalSince1970: 520)])
        #expect(board.takeSeen() == [ada: Date(timeIntervalSince1970: 520)])
    }

    @Test func `who comes back within the grace was never gone`() {
        var board = PresenceBoard(at: start)
        board.opened(phone, of: ada, at: at(0))
        _ = board.takeChanged()
        for second in stride(from: 10.0, to: 200, by: 20) {
            board.closed(phone, of: ada, at: at(second))
            board.advance(to: at(second + 9))
            board.opened(phone, of: ada, at: at(second + 10))
            board.advance(to: at(second + 19))
        }
        #expect(board.takeChanged().isEmpty)
    }

    @Test func `a client's word holds for its session until it says otherwise, and the most of all sessions counts`() {
        var board = PresenceBoard(at: start)
        board.opened(phone, of: ada, at: at(0))
        board.says(.away, phone, of: ada, at: at(1))
        #expect(board.status(of: ada) == .away)
        board.isActive(phone, of: ada, at: at(2))
        #expect(board.status(of: ada) == .away)
        board.opened(laptop, of: ada, at: at(3))
        #expect(board.status(of: ada) == .online)
        board.closed(laptop, of: ada, at: at(4))
        #expect(board.status(of: ada) == .away)
        // A stream that comes back within the grace finds the word.
        board.closed(phone, of: ada, at: at(5))
        board.opened(phone, of: ada, at: at(6))
        #expect(board.status(of: ada) == .away)
        board.says(.offline, phone, of: ada, at: at(7))
        #expect(board.status(of: ada) == .offline)
        board.says(.online, phone, of: ada, at: at(8))
        #expect(board.status(of: ada) == .online)
    }

    @Test func `what another process says holds as long as it says it again`() {
        var board = PresenceBoard(at: start)
        board.received(.away, of: ada, from: process, at: at(0))
        #expect(board.status(of: ada) == .away)
        board.received(.online, of: ada, from: process, at: at(40))
        advance(&board, from: 40, to: 88)
        #expect(board.status(of: ada) == .online)
        advance(&board, from: 88, to: 92)
        #expect(board.status(of: ada) == .online, "within the grace")
        advance(&board, from: 92, to: 125)
        #expect(board.status(of: ada) == .offline)
        #expect(board.takeOwnChanged().isEmpty)
        // As the other process has said last, and not when it was found to be silent.
        #expect(board.takeSeen() == [ada: at(40).date])
        #expect(board.takeChanged() == [ada: at(40).date])
    }

    @Test func `who says goodbye is not waited for, here or at another process`() {
        var (here, there) = (PresenceBoard(at: start), PresenceBoard(at: start))
        func exchange(_ second: Double) {
            for (person, own) in here.takeOwnChanged() {
                there.received(own.status, of: person, from: process, at: at(second), waits: !own.isGoodbye)
            }
        }
        here.opened(phone, of: ada, at: at(0))
        exchange(0)
        #expect(there.status(of: ada) == .online)
        here.says(.offline, phone, of: ada, at: at(1))
        #expect(here.status(of: ada) == .offline)
        exchange(1)
        #expect(there.status(of: ada) == .offline)
        // Nor where the stream has ended before.
        here.says(.online, phone, of: ada, at: at(2))
        exchange(2)
        here.closed(phone, of: ada, at: at(3))
        exchange(3)
        #expect(here.status(of: ada) == .online && there.status(of: ada) == .online)
        here.says(.offline, phone, of: ada, at: at(4))
        exchange(4)
        #expect(here.status(of: ada) == .offline && there.status(of: ada) == .offline)
    }

    @Test func `a revoked session is not waited for, but others are`() {
        var (here, there) = (PresenceBoard(at: start), PresenceBoard(at: start))
        here.opened(phone, of: ada, at: at(0))
        here.opened(laptop, of: ada, at: at(0))
        there.received(.online, of: ada, from: process, at: at(0))
        here.closed(laptop, of: ada, at: at(1))
        here.revoked(phone, of: ada, at: at(2))
        here.closed(phone, of: ada, at: at(2))
        #expect(here.status(of: ada) == .online)
        here.opened(laptop, of: ada, at: at(3))
        here.revoked(laptop, of: ada, at: at(4))
        here.closed(laptop, of: ada, at: at(4))
        #expect(here.status(of: ada) == .offline)
        for (person, own) in here.takeOwnChanged() {
            there.received(own.status, of: person, from: process, at: at(4), waits: !own.isGoodbye)
        }
        #expect(there.status(of: ada) == .offline)
    }

    @Test(arguments: UInt64(1)...20)
    func `whatever happens, everybody is what a plain rule says`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var board = PresenceBoard(at: start)
        var oracle = Oracle()
        let people = (0..<3).map { _ in UUID() }
        let sessions = people.map { _ in [UUID(), UUID()] }
        let processes = [UUID(), UUID()]
        var now = 0.0
        for _ in 0..<400 {
            let next = now + [0.25, 3, 12, 40, 130][Int.random(in: 0..<5, using: &random)]
            while now < next {
                now = min(now + 0.25, next)
                board.advance(to: at(now))
                oracle.advance(now)
            }
            let who = Int.random(in: 0..<people.count, using: &random)
            let (person, session) = (people[who], sessions[who][Int.random(in: 0..<2, using: &random)])
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1:
                board.opened(session, of: person, at: at(now))
                oracle.opened(session, person, now)
            case 2:
                board.closed(session, of: person, at: at(now))
                oracle.closed(session, person, now)
            case 3:
                board.isActive(session, of: person, at: at(now))
                oracle.isActive(session, now)
            case 4:
                let word: PresenceBoard.Status = [.away, .online][Int.random(in: 0..<2, using: &random)]
                board.says(word, session, of: person, at: at(now))
                oracle.says(word, session, now)
            default:
                let status: PresenceBoard.Status = [.offline, .away, .online][Int.random(in: 0..<3, using: &random)]
                let process = processes[Int.random(in: 0..<2, using: &random)]
                board.received(status, of: person, from: process, at: at(now))
                oracle.received(status, person, process, now)
            }
            // By then whatever ends by itself has been looked at.
            for _ in 0..<6 {
                now += 0.25
                board.advance(to: at(now))
                oracle.advance(now)
            }
            for person in people {
                #expect(board.status(of: person) == oracle.status(of: person, at: now), "seed \(seed), \(now) s")
            }
        }
    }

    /// Remembers everything, and looks at all of it each time.
    private struct Oracle {
        private struct Session {
            let person: UUID
            var streams = 0
            var word: PresenceBoard.Status?
            var activeAt: Double
            var closedAt: Double?
        }

        private var sessions: [UUID: Session] = [:]
        private var elsewhere: [UUID: [UUID: (status: PresenceBoard.Status, until: Double)]] = [:]
        /// By person: what the person was while somebody said so, and when that ended.
        private var last: [UUID: (status: PresenceBoard.Status, at: Double)] = [:]
        private var goneAt: [UUID: Double] = [:]

        mutating func opened(_ id: UUID, _ person: UUID, _ now: Double) {
            advance(now)
            var session = sessions[id] ?? Session(person: person, activeAt: now)
            if let closedAt = session.closedAt, now - closedAt >= 30 { session.word = nil }
            session.streams += 1
            (session.activeAt, session.closedAt) = (now, nil)
            sessions[id] = session
            advance(now)
        }

        mutating func closed(_ id: UUID, _ person: UUID, _ now: Double) {
            advance(now)
            guard var session = sessions[id], session.streams > 0 else { return }
            session.streams -= 1
            if session.streams == 0 { session.closedAt = now }
            sessions[id] = session
            advance(now)
        }

        mutating func isActive(_ id: UUID, _ now: Double) {
            advance(now)
            if isKept(id, now) { sessions[id]?.activeAt = now }
            advance(now)
        }

        mutating func says(_ word: PresenceBoard.Status, _ id: UUID, _ now: Double) {
            advance(now)
            guard isKept(id, now) else { return }
            sessions[id]?.word = word
            if word == .online { sessions[id]?.activeAt = now }
            advance(now)
        }

        mutating func received(_ status: PresenceBoard.Status, _ person: UUID, _ process: UUID, _ now: Double) {
            advance(now)
            elsewhere[person, default: [:]][process] = status > .offline ? (status, now + 50) : nil
            advance(now)
        }

        private func isKept(_ id: UUID, _ now: Double) -> Bool {
            guard let session = sessions[id] else { return false }
            return session.closedAt.map { now - $0 < 30 } ?? true
        }

        private func said(of person: UUID, at now: Double) -> PresenceBoard.Status {
            let own = sessions.values.filter { $0.person == person && $0.streams > 0 }.map { session in
                min(now - session.activeAt < 300 ? PresenceBoard.Status.online : .away, session.word ?? .online)
            }
            let others = (elsewhere[person] ?? [:]).values.filter { $0.until > now }.map(\.status)
            return (own + others).max() ?? .offline
        }

        /// Notes what people are, and when somebody fell silent between two steps.
        mutating func advance(_ now: Double) {
            for person in Set(sessions.values.map(\.person)).union(elsewhere.keys) {
                let status = said(of: person, at: now)
                if status > .offline {
                    (last[person], goneAt[person]) = ((status, now), nil)
                } else if last[person] != nil, goneAt[person] == nil {
                    goneAt[person] = now
                }
            }
        }

        mutating func status(of person: UUID, at now: Double) -> PresenceBoard.Status {
            advance(now)
            let status = said(of: person, at: now)
            if status > .offline { return status }
            guard let last = last[person] else { return .offline }
            return now - (goneAt[person] ?? last.at) < 30 ? last.status : .offline
        }
    }
}
