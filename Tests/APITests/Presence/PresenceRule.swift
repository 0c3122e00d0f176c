import Foundation

@testable import Live

/// What one process must say of people, by a plain rule: it remembers everything, and looks at all of it each time.
///
/// Seconds stand for times. What is not known exactly, such as when another process has said something for the last time, is
/// assumed early by one such rule and late by another.
struct PresenceRule {
    typealias Status = PresenceBoard.Status

    private struct Session {
        let person: UUID
        var streams = 0
        var word: Status?
        var activeAt: Double
        var closedAt: Double?
    }

    private struct Said {
        let status: Status
        /// Endless while it is said again and again.
        var until = Double.infinity
    }

    private var sessions: [UUID: Session] = [:]
    private var elsewhere: [UUID: [UUID: Said]] = [:]
    /// What people were while somebody said so, until it is forgotten by a goodbye.
    private var last: [UUID: Status] = [:]
    private var goneAt: [UUID: Double] = [:]

    mutating func opened(_ id: UUID, _ person: UUID, _ now: Double) {
        var session = isKept(id, now) ? sessions[id] ?? Session(person: person, activeAt: now) : nil
        session?.streams += 1
        session?.activeAt = now
        session?.closedAt = nil
        sessions[id] = session ?? Session(person: person, streams: 1, activeAt: now)
        advance(now)
    }

    mutating func closed(_ id: UUID, _ now: Double) {
        sessions[id]?.streams -= 1
        if sessions[id]?.streams == 0 { sessions[id]?.closedAt = now }
        advance(now)
    }

    mutating func isActive(_ id: UUID, _ now: Double) {
        if isKept(id, now) { sessions[id]?.activeAt = now }
        advance(now)
    }

    /// - Returns: whether the person has said goodbye here.
    mutating func says(_ word: Status, _ id: UUID, _ now: Double) -> Bool {
        guard isKept(id, now), let person = sessions[id]?.person else { return false }
        sessions[id]?.word = word
        if word == .online { sessions[id]?.activeAt = now }
        advance(now)
        guard word == .offline, own(person, now) == .offline else { return false }
        forget(person, now)
        return true
    }

    mutating func received(
        _ status: Status,
        of person: UUID,
        from process: UUID,
        _ now: Double,
        isGoodbye: Bool = false
    ) {
        elsewhere[person, default: [:]][process] = status > .offline ? Said(status: status) : nil
        advance(now)
        if isGoodbye { forget(person, now) }
    }

    /// Nothing more is received from a process.
    mutating func fellSilent(_ process: UUID, until: Double) {
        for person in elsewhere.keys where elsewhere[person]?[process]?.until == .infinity {
            elsewhere[person]?[process]?.until = until
        }
    }

    /// Whether another process says that the person is there; nil where it is not certain that it still holds.
    func isElsewhere(_ person: UUID, _ now: Double) -> Bool? {
        let said = (elsewhere[person] ?? [:]).values
        if said.contains(where: { $0.until == .infinity }) { return true }
        return said.isEmpty ? false : nil
    }

    func isHere(_ id: UUID) -> Bool { sessions[id].map { $0.streams > 0 } ?? false }

    func own(_ person: UUID, _ now: Double) -> Status {
        sessions.values.filter { $0.person == person && $0.streams > 0 }.map { session in
            min(now - session.activeAt < 300 ? Status.online : .away, session.word ?? .online)
        }.max() ?? .offline
    }

    func status(of person: UUID, _ now: Double) -> Status {
        let status = said(of: person, now)
        if status > .offline { return status }
        guard let last = last[person], let goneAt = goneAt[person], now - goneAt < 30 else { return .offline }
        return last
    }

    /// Takes note of what people are, and of who has just gone.
    mutating func advance(_ now: Double) {
        for person in Set(sessions.values.map(\.person)).union(elsewhere.keys) {
            let status = said(of: person, now)
            if status > .offline {
                (last[person], goneAt[person]) = (status, nil)
            } else if last[person] != nil, goneAt[person] == nil {
                goneAt[person] = now
            }
        }
    }

    private mutating func forget(_ person: UUID, _ now: Double) {
        guard said(of: person, now) == .offline else { return }
        (last[person], goneAt[person]) = (nil, nil)
    }

    private func said(of person: UUID, _ now: Double) -> Status {
        let others = (elsewhere[person] ?? [:]).values.filter { $0.until > now }.map(\.status)
        return max(own(person, now), others.max() ?? .offline)
    }

    private func isKept(_ id: UUID, _ now: Double) -> Bool {
        guard let session = sessions[id] else { return false }
        return session.closedAt.map { now - $0 < 30 } ?? true
    }
}
