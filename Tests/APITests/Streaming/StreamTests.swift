import EventStore
import Foundation
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Live

@Suite(.database, .timeLimit(.minutes(10))) struct StreamTests {
    @Test func `a fresh stream says hello and is ready`() async throws {
        try await LiveServer.with { server in
            let stream = try await server.stream(of: try await server.person("Ada"))
            let hello = await stream.next()
            #expect(hello?.name == "hello")
            #expect(hello?.lastID.isEmpty == false)
            // Whoever registered a moment ago may hear of it once more.
            var next = await stream.next()
            while next?.name == "user.updated" { next = await stream.next() }
            #expect(next?.name == "ready")
            #expect(stream.parsed.retry == 1_500)
            let head = stream.head.lowercased()
            #expect(head.contains("content-type: text/event-stream\r\n"))
            #expect(head.contains("cache-control: no-cache, no-transform\r\n"))
            #expect(head.contains("x-accel-buffering: no\r\n"))
        }
    }

    @Test func `a message reaches the members, and its sender knows how far it has come`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let own = try await server.readyStream(of: people[0])
            let other = try await server.readyStream(of: people[1])
            try await server.say("Hi\nthere", people[0], in: group)
            guard case .messageCreated(let seen) = try await other.next(.messageCreated),
                case .messageCreated(let mine) = try await own.next(.messageCreated),
                case .unreadUpdated(let unread) = try await other.next(.unreadUpdated)
            else { return }
            #expect(seen.message.text == "Hi\nthere")
            #expect(seen.message.seq == 1)
            #expect(seen.sender.displayName == "Person 0")
            #expect(seen.message.status == nil)
            #expect(seen.message.recipientCount == nil)
            #expect(mine.message.status == .sent)
            #expect(mine.message.recipientCount == 2)
            #expect(mine.message.asOthersSeeIt == seen.message)
            #expect(unread.unreadCount == 1)
            #expect(unread.totalUnread == 1)
            #expect(unread.firstUnreadSeq == 1)
            expectNoFallback(server)
        }
    }

    @Test func `a mention of everyone is told to each, and counted for all others`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let own = try await server.readyStream(of: people[0])
            let others = [try await server.readyStream(of: people[1]), try await server.readyStream(of: people[2])]
            _ = try await server.ask("All", people[0], in: group, mentions: [people[1].id], mentionsAll: true)
            for stream in [own] + others {
                guard case .messageCreated(let seen) = try await stream.next(.messageCreated) else { return }
                #expect(seen.message.mentions == [.all, .user(WireID(people[1].id))])
            }
            for stream in others {
                guard case .unreadUpdated(let unread) = try await stream.next(.unreadUpdated) else { return }
                #expect(unread.unreadCount == 1 && unread.mentionCount == 1)
            }
            expectNoFallback(server)
        }
    }

    @Test func `live and caught up are the same message`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let stream = try await server.stream(of: people[1])
            let start = await stream.next()?.lastID
            try await stream.skip(to: .ready)
            try await server.say("Hi", people[0], in: group)
            let live = try await stream.next(.messageCreated)
            stream.cut()
            let again = try await server.stream(of: people[1], since: start)
            guard case .hello(let hello) = try await again.next(.hello) else { return }
            #expect(hello.resumed)
            #expect(try await again.next(.messageCreated) == live)
            #expect(await again.next()?.name == "unread.updated")
            #expect(await again.next()?.name == "ready")
        }
    }

    @Test func `receipts reach the authors of what was read, and the devices of the reader`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(people)
            try await server.say("One", people[0], in: group)
            try await server.say("Two", people[1], in: group)
            let author = try await server.readyStream(of: people[0])
            let reader = try await server.readyStream(of: people[2])
            let bystander = try await server.readyStream(of: people[3])
            try await server.read(group, upTo: 1, by: people[2])
            try await server.read(group, upTo: 2, by: people[2])
            try await server.say("Three", people[1], in: group)
            guard case .receiptUpdated(let seen) = try await author.next(.receiptUpdated) else { return }
            #expect(seen.receipts.map(\.userId.uuid) == [people[2].id])
            #expect(seen.receipts.map(\.readSeq) == [1])
            // The second receipt is none of the first author's business.
            #expect(await author.nextInOrder()?.name == "message.created")
            try await reader.skip(to: .receiptUpdated)
            guard case .receiptUpdated(let own) = try await reader.next(.receiptUpdated) else { return }
            #expect(own.receipts.map(\.readSeq) == [2])
            #expect(await bystander.nextInOrder()?.name == "message.created")
            expectNoFallback(server)
        }
    }

    @Test func `who is added, promoted and removed hears what it means, and the others too`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            let member = try await server.readyStream(of: people[1])
            let newcomer = try await server.readyStream(of: people[3])
            try await server.say("Before", people[0], in: group)
            try await server.add(people[3], to: group, by: people[0])
            let promote = PutParticipant(actor: people[0].id, person: people[3].id, role: .admin, maxMembers: 9)
            try await server.command(.putParticipant(promote), on: group, by: people[0].id)
            try await server.say("Between", people[0], in: group)
            try await server.remove(people[3], from: group, by: people[0])
            try await server.say("After", people[0], in: group)
            // The end of what there is to hear.
            _ = try await server.startGroup([people[3], people[1], people[2]], besides: group)
            let forNewcomer = [
                "conversation.created", "conversation.updated", "message.created", "conversation.removed",
                "conversation.created",
            ]
            let forMember = [
                "message.created", "participant.added", "participant.updated", "message.created",
                "participant.removed", "message.created", "conversation.created",
            ]
            for name in forNewcomer { #expect(await newcomer.nextInOrder()?.name == name) }
            for name in forMember { #expect(await member.nextInOrder()?.name == name) }
            // Whoever is gone by the time that being added or promoted is rendered reads from the log what it was.
            #expect(server.hub.fallbacks <= 2)
        }
    }

    @Test func `what is read in private reaches the devices of the reader alone, live and later`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.say("One", people[0], in: group)
            let author = try await server.readyStream(of: people[0])
            let reader = try await server.readyStream(of: people[1])
            let (authorStart, readerStart) = (author.lastID, reader.lastID)
            let seen = ReceiptAdvance(person: people[1].id, deliveredSeq: 1, readSeq: nil)
            let secret = ReceiptAdvance(person: people[1].id, deliveredSeq: nil, readSeq: 1, isPrivate: true)
            for advance in [seen, secret] {
                try await server.command(.advanceReceipts([advance]), on: group, by: people[1].id)
            }
            try await server.say("Two", people[0], in: group)
            let streams: [(LiveStream, [Int64])] = [
                (author, [0]), (try await server.stream(of: people[0], since: authorStart), [0]),
                (reader, [0, 1]), (try await server.stream(of: people[1], since: readerStart), [0, 1]),
            ]
            for (stream, expected) in streams {
                var read: [Int64] = []
                while let event = await stream.nextInOrder(), event.name != "message.created" {
                    guard case .receiptUpdated(let update) = try StreamEvent(event) else { continue }
                    read += update.receipts.map(\.readSeq)
                }
                #expect(read == expected)
            }
            expectNoFallback(server)
        }
    }

    @Test func `who hides the own reading is told nothing of that of others, live and later`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.shareReading(false, people[0])
            try await server.say("One", people[0], in: group)
            try await server.say("Two", people[1], in: group)
            try await server.waitForReadModels()
            let (hider, other) = (
                try await server.readyStream(of: people[0]), try await server.readyStream(of: people[1])
            )
            let starts = [hider.lastID, other.lastID]
            let received = ReceiptAdvance(person: people[2].id, deliveredSeq: 2, readSeq: nil)
            try await server.command(.advanceReceipts([received]), on: group, by: people[2].id)
            try await server.read(group, upTo: 2, by: people[2])
            try await server.read(group, upTo: 1, by: people[1])
            try await server.say("Three", people[2], in: group)
            let streams: [(LiveStream, [[Int64]])] = [
                (hider, [[2, 0], [1, 0]]),
                (try await server.stream(of: people[0], since: starts[0]), [[2, 0], [1, 0]]),
                (other, [[2, 0], [2, 2], [1, 1]]),
                (try await server.stream(of: people[1], since: starts[1]), [[2, 0], [2, 2], [1, 1]]),
            ]
            for (stream, expected) in streams {
                var marks: [[Int64]] = []
                while let event = await stream.nextInOrder(), event.name != "message.created" {
                    guard case .receiptUpdated(let update) = try StreamEvent(event) else { continue }
                    marks += update.receipts.map { [$0.deliveredSeq, $0.readSeq] }
                }
                #expect(marks == expected)
            }
            expectNoFallback(server)
            try await server.waitForReadModels()
            let counts: [(Int?, Int?)] = [(2, 0), (1, 1)]
            for (person, expected) in zip(people, counts) {
                let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: person)
                let own = snapshot.conversations.first?.timeline.items.first { message in
                    message.kind == .text && message.senderId.uuid == person.id
                }
                #expect(own?.deliveredCount == expected.0 && own?.readCount == expected.1)
                #expect(own?.readBy?.count == expected.1)
                #expect(own?.status != .read)
            }
        }
    }

    @Test func `which part of a history may be read is told to each with what it shows then`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            try await server.say("Before", people[0], in: group)
            try await server.add(people[3], to: group, by: people[0])
            try await server.waitForReadModels()
            let newcomer = try await server.readyStream(of: people[3])
            for (visibility, texts) in [(HistoryVisibility.joined, []), (.all, ["Before"])] {
                let change = ChangeGroup(
                    actor: people[0].id,
                    name: nil,
                    icon: .unchanged,
                    joinPolicy: nil,
                    historyVisibility: visibility
                )
                try await server.command(.changeGroup(change), on: group, by: people[0].id)
                guard case .conversationUpdated(let updated) = try await newcomer.next(.conversationUpdated) else {
                    return
                }
                #expect(updated.conversation.historyVisibility?.rawValue == visibility.rawValue)
                #expect(updated.conversation.lastMessage?.text == texts.last)
                let fresh = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[3]).conversations[0]
                #expect(fresh.conversation == updated.conversation)
                #expect(fresh.timeline.items.filter { $0.kind == .text }.map(\.text) == texts)
            }
        }
    }

    @Test func `a rename of a group and of a person reaches those around`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            let member = try await server.readyStream(of: people[1])
            let change = ChangeGroup(
                actor: people[0].id,
                name: "Renamed",
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil
            )
            try await server.command(.changeGroup(change), on: group, by: people[0].id)
            guard case .conversationUpdated(let updated) = try await member.next(.conversationUpdated) else { return }
            #expect(updated.conversation.groupName == "Renamed")
            try await server.rename(people[3], to: "Stranger")
            try await server.rename(people[2], to: "Grace")
            guard case .userUpdated(let user) = try await member.next(.userUpdated) else { return }
            #expect(user.user.displayName == "Grace")
            try await server.say("Who am I?", people[2], in: group)
            guard case .messageCreated(let message) = try await member.next(.messageCreated) else { return }
            #expect(message.sender.displayName == "Grace")
            expectNoFallback(server)
        }
    }

    @Test func `a text that is older than my joining is not quoted to me`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)), visibility: .joined)
            let question = try await server.ask("Secret", people[0], in: group)
            try await server.add(people[3], to: group, by: people[0])
            let newcomer = try await server.stream(of: people[3])
            let start = await newcomer.next()?.lastID
            try await newcomer.skip(to: .ready)
            let old = try await server.readyStream(of: people[1])
            try await server.say("Answer", people[1], in: group, replyTo: MessageReference(id: question, seq: 1))
            guard case .messageCreated(let known) = try await old.next(.messageCreated),
                case .messageCreated(let hidden) = try await newcomer.next(.messageCreated)
            else { return }
            #expect(known.message.replyTo?.text == "Secret")
            #expect(hidden.message.replyTo?.id.uuid == question)
            #expect(hidden.message.replyTo?.text == nil)
            let again = try await server.stream(of: people[3], since: start)
            guard case .messageCreated(let later) = try await again.next(.messageCreated) else { return }
            #expect(later == hidden)
            expectNoFallback(server)
        }
    }

    /// What cannot be told live is read from the log instead: a client would not notice that all of it is.
    private func expectNoFallback(_ server: LiveServer, _ place: SourceLocation = #_sourceLocation) {
        #expect(server.hub.fallbacks == 0, sourceLocation: place)
    }
}
