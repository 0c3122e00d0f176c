import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

/// What is done for later, and what time does.
extension Walk {
    mutating func schedule() async throws {
        if random.chance(40), let later = scheduled.randomElement(using: &random) {
            if random.chance(40) {
                try await schedule(later.id, by: later.author, in: later.room)
            } else {
                let actor = random.chance(80) ? later.author : anyone()
                let answer = try await ask(.delete, "/v1/scheduled/\(WireID(later.id))", actor, as: .unschedule)
                if answer.isDone { scheduled.removeAll { $0.id == later.id } }
            }
        } else {
            let room = anyRoom()
            try await schedule(UUID(), by: anyone(in: room), in: room)
        }
    }

    /// Schedules a message, or changes one.
    private mutating func schedule(_ id: UUID, by author: LivePerson, in room: UUID) async throws {
        let (tag, text) = world.text(by: author.id)
        let sendAt = clock.now + TimeInterval(Int.random(in: 1...5, using: &random))
        var body: [String: JSONValue] = [
            "conversationId": .string(WireID(room).description), "text": .string(text),
            "sendAt": .string(Timestamp.format(sendAt)),
        ]
        if random.chance(30) { body["mentions"] = .array([.string(anyone().wireID)]) }
        let command: WalkCommand = scheduled.contains { $0.id == id } ? .reschedule : .schedule
        let answer = try await ask(.put, "/v1/scheduled/\(WireID(id))", author, .object(body), as: command)
        guard answer.isDone else { return }
        scheduled.removeAll { $0.id == id }
        scheduled.append(Scheduled(id: id, author: author, room: room, tag: tag, sendAt: sendAt))
    }

    /// What is said from now on stays for some seconds. A request can ask for an hour at least: were the clock moved by that
    /// much, what streams may be late with would be taken to be told long since.
    mutating func keepShortly() async throws {
        let room = anyRoom()
        let actor = anyone(in: room)
        var settings = world.rooms[room]?.settings ?? WalkSettings()
        settings.retention = random.chance(30) ? nil : 3
        let change = ChangeGroup(
            actor: actor.id,
            name: nil,
            icon: .unchanged,
            joinPolicy: nil,
            historyVisibility: nil,
            retention: settings.retention.map { Change.set($0) } ?? .cleared
        )
        do {
            try await anyServer().command(.changeGroup(change), on: room, by: actor.id, at: clock.now)
        } catch is ConversationRejection {
            return tally.note(.keepShortly, isDone: false)
        }
        tally.note(.keepShortly, isDone: true)
        world.change(room, to: settings)
    }

    /// What is due after some seconds is sent by either process, and what has had its time is taken away by the one whose
    /// turn it is.
    mutating func passTime() async throws {
        clock.advance(by: TimeInterval(Int.random(in: 1...4, using: &random)))
        _ = try await anyServer().dependencies.scheduled.sendDue()
        // What goes is found by what the read models have.
        for server in servers { try await server.waitForReadModels() }
        try await takeSent()
        for server in servers { _ = try await server.dependencies.expirer.expireDue() }
        world.expire(by: clock.now)
    }

    /// Each message whose time has come was sent, or its author is told why not.
    private mutating func takeSent() async throws {
        var sent: [(message: ParleyWire.Message, later: Scheduled)] = []
        for later in scheduled where later.sendAt <= clock.now {
            let waiting = try await ask(.get, "/v1/scheduled/\(WireID(later.id))", later.author, as: nil)
            tally.note(.sendScheduled, isDone: !waiting.isDone)
            if waiting.isDone {
                // Who has said something a moment ago waits for the next time.
                let status = try waiting.decode(ScheduledMessage.self).status
                let isSlow = world.rooms[later.room]?.settings.slowMode == 1
                #expect(status == .failed || status == .scheduled && isSlow)
                continue
            }
            #expect(waiting.status == .notFound)
            let path = "\(path(later.room))/messages/\(WireID(later.id))"
            let message = try await ask(.get, path, later.author, as: nil)
            sent.append((try message.decode(ParleyWire.Message.self), later))
        }
        for (message, later) in sent.sorted(by: { $0.message.seq ?? 0 < $1.message.seq ?? 0 }) {
            let known = WalkWorld.Sent(id: later.id, seq: 0, sender: later.author.id, tags: [later.tag])
            try take(message, known, in: later.room)
        }
        scheduled.removeAll { later in sent.contains { $0.later.id == later.id } }
    }
}
