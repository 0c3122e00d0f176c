import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Identity
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// What happens when the time of a scheduled message has come. No test waits for one: the clock stands until it is moved.
@Suite(.database, .timeLimit(.minutes(10))) struct ScheduledSendingTests {
    private let clock = TestClock()

    private func serve(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.with({ $0.clock = clock.command }, body)
    }

    @Test func `it is sent under its id, as a message of its author`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let quoted = try await bob.say("When?", in: id)
            let more: [String: JSONValue] = [
                "replyToId": .string("\(quoted.id)"), "mentions": .array([.string("\(bob.id)")]),
            ]
            let later = try await ada.schedule("Now", in: id, at: clock.now + 60, more).decode(ScheduledMessage.self)
            clock.advance(by: 59)
            #expect(try await server.sendDue() == later.sendAt)
            #expect(try await ada.texts(in: id) == ["When?"])
            clock.advance(by: 2)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.scheduled().items.isEmpty)
            try await ada.send(.get, "/v1/scheduled/\(later.id)").expect(.notFound)
            try await ada.withdraw(later.id).expect(.notFound)
            #expect(try await ada.texts(in: id) == ["When?", "Now"])
            let sent = try await bob.get(Message.self, "/v1/conversations/\(id)/messages/\(later.id)")
            #expect(sent.senderId == ada.id && sent.seq == 2 && sent.timestamp == clock.now)
            #expect(sent.replyTo?.id == quoted.id && sent.mentions == [.user(bob.id)])
            // The log says that its schedule has sent it; what people ask for right now has no other cause.
            let stream = StreamID(.conversation, id.uuid)
            let events = try await server.eventStore.log.events(of: stream, after: 0, limit: 100)
            #expect(events.last?.commandID == later.id.uuid && events.last?.causationID == later.id.uuid)
            #expect(events.dropLast().allSatisfy { $0.causationID == nil })
        }
    }

    @Test func `what is sent is not scheduled again: repeated it is told, changed it conflicts`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let later = try await ada.schedule("Once", in: id, at: clock.now + 1).decode(ScheduledMessage.self)
            clock.advance(by: 1)
            try await server.sendDue()
            for time in [later.sendAt, clock.now + 60] {
                let again = try await ada.schedule("Once", in: id, at: time, id: later.id)
                    .decode(ScheduledMessage.self, status: .ok)
                #expect(again.status == .sent && again.text == "Once" && again.id == later.id)
                try await ada.schedule("Twice", in: id, at: time, id: later.id).expect(.idConflict)
            }
            // As a send, too, it is a repetition.
            let path = "/v1/conversations/\(id)/messages/\(later.id)"
            #expect(try await ada.send(.put, path, body: .object(["text": .string("Once")])).status == .ok)
            #expect(try await ada.send(.delete, path).status == .noContent)
            let deleted = try await ada.schedule("Once", in: id, at: clock.now + 60, id: later.id)
            #expect(try deleted.decode(ScheduledMessage.self, status: .ok).status == .sent)
            #expect(try await ada.scheduled().items.isEmpty)
        }
    }

    @Test func `a message that was sent under the id already is no second one`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let (same, other) = (WireID(), WireID())
            for message in [same, other] { try await ada.schedule("Later", in: id, at: clock.now + 1, id: message) }
            try await ada.say("Later", in: id, id: same)
            try await ada.say("Else", in: id, id: other)
            clock.advance(by: 1)
            try await server.sendDue()
            #expect(try await ada.texts(in: id) == ["Later", "Else"])
            let left = try await ada.scheduled().items
            #expect(left.map(\.id) == [other] && left[0].failure?.code == "idConflict")
            #expect(try await ada.withdraw(other).status == .noContent)
        }
    }

    @Test func `an id is taken where somebody else has sent it, and free in another conversation`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let (here, there) = (try await ada.talk(to: bob).id, try await ada.talk(to: eve).id)
            let (bobs, own) = (WireID(), WireID())
            try await bob.say("Mine", in: here, id: bobs)
            try await ada.schedule("Mine", in: here, at: clock.now + 1, id: bobs).expect(.idConflict)
            // Nobody is told what is taken where one may not send.
            try await eve.schedule("Mine", in: here, at: clock.now + 1, id: bobs).expect(.notFound)
            // What was scheduled and sent in one conversation may be sent in another.
            try await ada.schedule("One", in: here, at: clock.now + 1, id: own)
            clock.advance(by: 1)
            try await server.sendDue()
            #expect(try await ada.schedule("Two", in: there, at: clock.now + 1, id: own).status == .created)
            #expect(try await ada.schedule("Three", in: there, at: clock.now + 1, id: bobs).status == .created)
            clock.advance(by: 1)
            try await server.sendDue()
            #expect(try await ada.texts(in: here) == ["Mine", "One"])
            #expect(Set(try await ada.texts(in: there)) == ["Two", "Three"])
            #expect(try await ada.scheduled().items.isEmpty)
        }
    }

    @Test func `who may not send any more is told so, and may try again`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve]).id
            let later = try await bob.schedule("Bye", in: group, at: clock.now + 60).decode(ScheduledMessage.self)
            _ = try await ada.send(.delete, "/v1/conversations/\(group)/participants/\(bob.id)")
            clock.advance(by: 60)
            #expect(try await server.sendDue() == nil)
            let failed = try await bob.get(ScheduledMessage.self, "/v1/scheduled/\(later.id)")
            #expect(failed.status == .failed && failed.failure == .init(code: "forbidden", failedAt: clock.now))
            #expect(try await bob.scheduled().items == [failed])
            #expect(try await ada.texts(in: group).isEmpty)
            // It stays so, until its author does something about it.
            clock.advance(by: 86_400)
            #expect(try await server.sendDue() == nil)
            try await bob.schedule("Bye", in: group, at: clock.now + 60, id: later.id).expect(.forbidden)
            _ = try await ada.send(.put, "/v1/conversations/\(group)/participants/\(bob.id)", body: .object([:]))
            let again = try await bob.schedule("Bye", in: group, at: clock.now + 60, id: later.id)
            #expect(try again.decode(ScheduledMessage.self, status: .ok).failure == nil)
            clock.advance(by: 60)
            try await server.sendDue()
            #expect(try await ada.texts(in: group) == ["Bye"])
        }
    }

    @Test func `who is blocked, or whose account is closed, sends nothing`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.talk(to: bob).id
            let other = try await eve.talk(to: ada).id
            try await ada.schedule("Blocked", in: id, at: clock.now + 1)
            try await eve.schedule("Closed", in: other, at: clock.now + 1)
            _ = try await bob.send(.put, "/v1/blocks/\(ada.id)")
            _ = try await server.identity.deactivate(eve.id.uuid)
            clock.advance(by: 1)
            try await server.sendDue()
            #expect(try await ada.scheduled().items.map(\.failure?.code) == ["forbidden"])
            let rows = try await TestDatabase.current.pool.query("SELECT s.failure FROM parley.scheduled_messages s")
            #expect(try rows.map { try $0.decode("failure", as: String?.self) } == ["forbidden", "forbidden"])
            #expect(try await ada.texts(in: id).isEmpty)
        }
    }

    @Test func `several processes send each once`() async throws {
        try await serve { one in
            try await serve { other in
                let (ada, bob) = (try await one.register(), try await one.register())
                let id = try await ada.talk(to: bob).id
                for number in 0..<90 {
                    clock.advance(by: 0.001)
                    try await ada.schedule("\(number)", in: id, at: clock.now + 600)
                }
                clock.advance(by: 600)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for server in [one, other, one, other] {
                        group.addTask { try await server.sendDue() }
                    }
                    try await group.waitForAll()
                }
                // On a slow machine some are put off, or claimed again when their time is over.
                while let next = try await one.sendDue() {
                    clock.advance(by: max(1, next.timeIntervalSince(clock.now)))
                }
                #expect(try await ada.scheduled().items.isEmpty)
                #expect(try await ada.texts(in: id).compactMap { $0 }.sorted() == (0..<90).map { "\($0)" }.sorted())
            }
        }
    }

    @Test func `what a process sent that was killed before it could say so is not sent again`() async throws {
        let ids = (0..<3).map { _ in WireID() }
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for (number, message) in ids.enumerated() {
                try await ada.schedule("\(number)", in: id, at: clock.now + 1, id: message)
            }
            clock.advance(by: 1)
            try await execute(
                """
                CREATE FUNCTION parley.die() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'killed'; END $$;
                CREATE TRIGGER die BEFORE DELETE ON parley.scheduled_messages EXECUTE FUNCTION parley.die();
                """
            )
            // One line of three: the first is sent, and nothing is said of it.
            await #expect(throws: PostgresError.self) { try await server.sendDue() }
            try await execute("DROP TRIGGER die ON parley.scheduled_messages")
            #expect(try await ada.texts(in: id) == ["0"])
            // Others leave them alone as long as it may be alive.
            #expect(try await server.sendDue() == clock.later(by: ScheduledMessages.lease))
            #expect(try await ada.texts(in: id) == ["0"])
            clock.advance(by: ScheduledMessages.lease)
            // Withdrawing finds by the log what became of them.
            try await ada.withdraw(ids[0]).expect(.notFound)
            #expect(try await ada.withdraw(ids[1]).status == .noContent)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.texts(in: id) == ["0", "2"])
            #expect(try await ada.scheduled().items.isEmpty)
        }
    }

    @Test func `a repetition of what was sent unsaid takes its row away`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let later = try await ada.schedule("Once", in: id, at: clock.now + 1).decode(ScheduledMessage.self)
            clock.advance(by: 1)
            // Somebody claims it, sends it and is gone.
            #expect(try await server.dependencies.scheduled.schedule.claimDue(at: clock.now, limit: 10).count == 1)
            try await ada.say("Once", in: id, id: later.id)
            clock.advance(by: ScheduledMessages.lease)
            try await ada.schedule("Changed", in: id, at: clock.now + 60, id: later.id).expect(.idConflict)
            #expect(try await ada.scheduled().items.isEmpty)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.texts(in: id) == ["Once"])
        }
    }

    @Test func `what a process had claimed that is gone is sent by another, not withdrawn`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let later = try await ada.schedule("Once", in: id, at: clock.now + 1).decode(ScheduledMessage.self)
            clock.advance(by: 1)
            let schedule = server.dependencies.scheduled.schedule
            #expect(try await schedule.claimDue(at: clock.now, limit: 10).count == 1)
            try await execute("UPDATE parley.scheduled_messages SET claimed_by = 1")
            try await schedule.giveBack(exceptOf: [1, 2], at: clock.now)
            #expect(try await server.sendDue() == clock.later(by: ScheduledMessages.lease))
            try await schedule.giveBack(exceptOf: [2], at: clock.now)
            // A last command of that process may be under way.
            try await ada.withdraw(later.id).expect(.unavailable)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.texts(in: id) == ["Once"])
            #expect(try await ada.scheduled().items.isEmpty)
        }
    }

    @Test func `what is withdrawn as it is sent is either never sent or was sent`() async throws {
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for round in 0..<10 {
                let ids = (0..<6).map { _ in WireID() }
                for message in ids { try await ada.schedule("\(message)", in: id, at: clock.now + 1, id: message) }
                clock.advance(by: 1)
                let answers = try await withThrowingTaskGroup(of: (WireID, Int)?.self) { group in
                    group.addTask {
                        try await server.sendDue()
                        return nil
                    }
                    for message in ids {
                        group.addTask { (message, try await ada.withdraw(message).status.code) }
                    }
                    return try await group.reduce(into: [WireID: Int]()) { answers, answer in
                        if let answer { answers[answer.0] = answer.1 }
                    }
                }
                // A row that was being withdrawn as it came due, and was let go.
                clock.advance(by: ScheduledMessages.lease)
                try await server.sendDue()
                let sent = Set(try await ada.texts(in: id).compactMap { $0 })
                for (message, status) in answers {
                    #expect([204, 404].contains(status))
                    #expect(sent.contains("\(message)") == (status == 404), "round \(round): \(status)")
                }
                #expect(try await ada.scheduled().items.isEmpty)
            }
        }
    }

    @Test func `whoever is removed at that moment has sent it, or is told that it failed`() async throws {
        try await serve { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve]).id
            let path = "/v1/conversations/\(group)/participants/\(bob.id)"
            for _ in 0..<10 {
                let later = try await bob.schedule("Bye", in: group, at: clock.now + 1).decode(ScheduledMessage.self)
                clock.advance(by: 1)
                async let removed = ada.send(.delete, path)
                try await server.sendDue()
                #expect(try await removed.status == .noContent)
                let stream = try await server.eventStore.log.event(
                    of: later.id.uuid,
                    in: .init(.conversation, group.uuid)
                )
                let row = try await bob.send(.get, "/v1/scheduled/\(later.id)")
                #expect((stream == nil) == (row.status == .ok))
                if row.status == .ok { #expect(try row.decode(ScheduledMessage.self).failure?.code == "forbidden") }
                #expect(try await ada.send(.put, path, body: .object([:])).status == .created)
            }
        }
    }

    @Test func `what cannot be sent now is tried again, less and less often`() async throws {
        #expect((1...12).map { ScheduledSender.pause(after: $0) } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(ScheduledSender.pause(after: .max) == 300)
        try await serve { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            try await ada.schedule("Late", in: id, at: clock.now + 1)
            clock.advance(by: 1)
            let schedule = server.dependencies.scheduled.schedule
            let claim = try #require(try await schedule.claimDue(at: clock.now, limit: 1).first)
            // Nothing is under way: it is free at once, and due later.
            try await schedule.postpone(claim, until: clock.now + 4, isUndone: true)
            #expect(try await server.sendDue() == clock.later(by: 4))
            clock.advance(by: 4)
            let again = try #require(try await schedule.claimDue(at: clock.now, limit: 1).first)
            // It may be under way: nobody touches it as long as that may be so.
            try await schedule.postpone(again, until: clock.now + 4, isUndone: false)
            #expect(try await server.sendDue() == clock.later(by: ScheduledMessages.lease))
            clock.advance(by: ScheduledMessages.lease)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.texts(in: id) == ["Late"])
            // What was claimed once is nobody's any more.
            #expect(try await !schedule.remove(again))
        }
    }

    private func execute(_ sql: String) async throws {
        try await TestDatabase.current.administrator.withConnection { try await $0.script(sql) }
    }
}
