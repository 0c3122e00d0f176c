import API
import Attachments
import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import Edge

@Suite(.database, .timeLimit(.minutes(5))) struct `A message with files` {
    static let notes = Array("Dear diary, ".utf8)

    @Test func `shows them wherever it is shown`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let image = try await ada.upload(try SampleImage.bytes("turned-6.jpg"), "kind=image", type: "image/jpeg")
            let file = try await ada.upload(Self.notes)
            let sent = try await ada.send([image, file], "Look", in: talk.id).decode(Message.self, status: .created)
            #expect(sent.attachments.map(\.id) == [image.id, file.id] && sent.text == "Look")
            #expect(sent.attachments[0].width == 60 && sent.attachments[0].blurhash != nil)
            let read = try await bob.get(Message.self, sent.path)
            #expect(read.attachments.map(\.kind) == [.image, .file] && read.attachments[1].name == "notes.txt")
            let list = try await bob.get(ListPage<Conversation>.self, "/v1/conversations")
            #expect(list.items.first?.lastMessage?.attachments == [.image, .file])
            let found = try await bob.send(.post, "/v1/search", body: .object(["hasAttachment": .bool(true)]))
            #expect(try found.decode(ListPage<SearchResult>.self).items.map(\.message.id) == [sent.id])
            let answer: JSONValue = .object(["text": .string("Nice"), "replyToId": .string("\(sent.id)")])
            let quote = try await bob.send(.post, "/v1/conversations/\(talk.id)/messages", body: answer)
            #expect(try quote.decode(Message.self).replyTo?.attachments == [.image, .file])
            for url in [read.attachments[0].url, read.attachments[0].thumbnailURL, read.attachments[1].url] {
                #expect(try await server.bring(.get, try #require(url)).status == .ok)
            }
            let export = try await ada.send(.post, "/v1/me/export")
            #expect(export.text.contains("\(image.id)/content"))
        }
    }

    @Test func `may have no text, up to ten files, and only one's own that are whole`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let file = try await ada.upload(Self.notes)
            let sent = try await ada.send([file], in: talk.id).decode(Message.self, status: .created)
            #expect(sent.text == "")
            // In one message only.
            try await ada.send([file], in: talk.id).expect(.validationFailed, pointer: "/attachmentIds/0")
            let theirs = try await bob.upload(Self.notes)
            try await ada.send([theirs], in: talk.id).expect(.validationFailed, pointer: "/attachmentIds/0")
            let id = WireID()
            _ = try await ada.bring(
                .put,
                "/v1/attachments/\(id)?kind=file",
                headers: [.uploadComplete: "?0"],
                Self.notes
            )
            var unfinished = file
            unfinished.id = id
            try await ada.send([unfinished], in: talk.id).expect(.validationFailed, pointer: "/attachmentIds/0")
            let many = (0..<11).map { _ in
                ParleyWire.Attachment(id: WireID(), kind: .file, contentType: "", bytes: 0, url: "")
            }
            try await ada.send(many, in: talk.id).expect(.validationFailed, pointer: "/attachmentIds")
        }
    }

    @Test func `is found to be sent when it is repeated`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let (file, other) = (try await ada.upload(Self.notes), try await ada.upload(Self.notes))
            let id = WireID()
            #expect(try await ada.send([file], in: talk.id, id: id).status == .created)
            #expect(try await ada.send([file], in: talk.id, id: id).status == .ok)
            try await ada.send([other], in: talk.id, id: id).expect(.idConflict)
            try await ada.send([], "Hi", in: talk.id, id: id).expect(.idConflict)
            #expect(try await ada.send([other], in: talk.id).status == .created)
        }
    }

    @Test func `is for those who may see it, as long as they may`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let mallory = try await server.register("Mallory")
            let group = try await ada.startGroup(with: [bob, eve])
            let file = try await ada.upload(Self.notes)
            let sent = try await ada.send([file], in: group.id).decode(Message.self, status: .created)
            let path = "/v1/attachments/\(file.id)/content"
            let link = try await bob.get(Message.self, sent.path).attachments[0].url
            #expect(try await bob.bring(.get, path).status == .ok)
            #expect(try await server.bring(.get, link).status == .ok)
            #expect(try await mallory.bring(.get, path).status == .notFound)
            #expect(try await server.bring(.get, path).status == .unauthorized)
            // A capability is for one file, one size and one session.
            for wrong in [link.replacingOccurrences(of: "k=", with: "k=A"), link + "&size=thumbnail"] {
                #expect(try await server.bring(.get, wrong).status.code >= 400)
            }
            // What came after somebody left is not theirs.
            _ = try await bob.send(.post, "/v1/conversations/\(group.id)/leave")
            let later = try await ada.upload(Self.notes)
            #expect(try await ada.send([later], in: group.id).status == .created)
            #expect(try await bob.bring(.get, "/v1/attachments/\(later.id)/content").status == .notFound)
            #expect(try await eve.bring(.get, "/v1/attachments/\(later.id)/content").status == .ok)
            #expect(try await bob.bring(.get, path).status == .ok)
            // Signing out ends what its URLs were good for.
            _ = try await bob.send(.post, "/v1/auth/logout")
            #expect(try await server.bring(.get, link).status == .unauthorized)
            // What is deleted is gone at the next request.
            #expect(try await ada.send(.delete, sent.path).status == .noContent)
            #expect(try await eve.bring(.get, path).status == .notFound)
            #expect(try await ada.bring(.get, path).status == .notFound)
        }
    }

    @Test func `is passed on with its files, which stay as long as any message has them`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let (first, second) = (try await ada.talk(to: bob), try await bob.talk(to: eve))
            let file = try await ada.upload(Self.notes)
            let sent = try await ada.send([file], in: first.id).decode(Message.self, status: .created)
            let body: JSONValue = .object(["conversationIds": .array([.string("\(second.id)")])])
            let passed = try await bob.send(.post, "\(sent.path)/forward", body: body).decode(ForwardAnswer.self)
            #expect(passed.items.first?.message?.attachments.map(\.id) == [file.id])
            let path = "/v1/attachments/\(file.id)/content"
            #expect(try await eve.bring(.get, path).status == .ok)
            #expect(try await ada.send(.delete, sent.path).status == .noContent)
            try await server.collect()
            #expect(try await ada.bring(.get, path).status == .notFound)
            #expect(try await eve.bring(.get, path).status == .ok)
            // The bytes go with their first owner.
            let erasing: JSONValue = .object(["password": .string("correct horse")])
            #expect(try await ada.send(.delete, "/v1/me", body: erasing).status == .noContent)
            #expect(try await eve.bring(.get, path).status == .notFound)
        }
    }

    @Test func `leaves no bytes when it is deleted`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let image = try await ada.upload(try SampleImage.bytes("plain.png"), "kind=image", type: "image/png")
            let sent = try await ada.send([image], in: talk.id).decode(Message.self, status: .created)
            let unsent = try await ada.upload(Self.notes)
            try await server.collect()
            #expect(try await server.blobs() == 3)
            #expect(try await ada.send(.delete, sent.path).status == .noContent)
            try await server.collect()
            #expect(try await server.blobs() == 1)
            // What is in no message stays for a day.
            try await server.collect(at: Date().addingTimeInterval(86_000))
            #expect(try await server.bring(.get, unsent.url).status == .ok)
            try await server.collect(at: Date().addingTimeInterval(86_500))
            #expect(try await server.bring(.get, unsent.url).status == .notFound)
            #expect(try await server.blobs() == 0)
        }
    }

    @Test func `leaves no bytes where the collector cannot look for others`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let file = try await ada.upload(Self.notes)
            #expect(try await ada.bring(.delete, "/v1/attachments/\(file.id)").status == .noContent)
            let administrator = TestDatabase.current.administrator
            try await administrator.execute("ALTER TABLE parley.pictures RENAME TO pictures_away")
            let collector = Collector(
                attachments: server.dependencies.attachments,
                eventStore: server.eventStore,
                logger: SecretWatch.logger
            )
            let failed = await collector.pass(roundAt: Date())
            #expect(failed == [.looking])
            #expect(try await server.blobs() == 0)
            try await administrator.execute("ALTER TABLE parley.pictures_away RENAME TO pictures")
            let again = await collector.pass(roundAt: Date())
            #expect(again.isEmpty)
        }
    }

    @Test func `is sent later with its files`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let file = try await ada.upload(Self.notes)
            let body: JSONValue = .object([
                "conversationId": .string("\(talk.id)"), "attachmentIds": .array([.string("\(file.id)")]),
                "sendAt": .string(Timestamp.format(Date().addingTimeInterval(3_600))),
            ])
            let path = "/v1/scheduled/\(WireID())"
            let scheduled = try await ada.send(.put, path, body: body).decode(ScheduledMessage.self, status: .created)
            #expect(scheduled.attachmentIds == [file.id])
            try await server.collect(at: Date().addingTimeInterval(90_000))
            try await ada.send([file], in: talk.id).expect(.validationFailed)
            // Once it is withdrawn they have the time that new files have.
            let ageing: SQL = "UPDATE parley.attachments SET touched_at = now() - interval '25 hours'"
            try await TestDatabase.current.administrator.execute(ageing)
            #expect(try await ada.send(.delete, path).status == .noContent)
            try await server.collect()
            #expect(try await ada.send([file], in: talk.id).status == .created)
        }
    }

    @Test func `that is to be sent later has its files for its author, and then for all`() async throws {
        let clock = TestClock()
        try await TestServer.with {
            $0.clock = clock.command
        } _: { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let file = try await ada.upload(Self.notes)
            let path = "/v1/attachments/\(file.id)/content"
            let more: [String: JSONValue] = ["attachmentIds": .array([.string("\(file.id)")])]
            #expect(try await ada.schedule("Later", in: talk.id, at: clock.now + 60, more).status == .created)
            #expect(try await ada.bring(.get, path).body == Data(Self.notes))
            #expect(try await bob.bring(.get, path).status == .notFound)
            clock.advance(by: 60)
            try await server.sendDue()
            for person in [ada, bob] { #expect(try await person.bring(.get, path).status == .ok) }
        }
    }

    @Test func `that is to be sent later lets go of files that it is not to have`() async throws {
        try await TestServer.with {
            $0.server = .init(version: "test", limits: .init(maxScheduledMessages: 1), features: [])
        } _: { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let (id, time) = (WireID(), Date().addingTimeInterval(3_600))
            @Sendable func schedule(_ file: WireID, as id: WireID) async throws -> Answer {
                let more: [String: JSONValue] = ["attachmentIds": .array([.string("\(file)")])]
                return try await ada.schedule("Later", in: talk.id, at: time, id: id, more)
            }
            let (first, second, third) = (
                try await ada.upload(Self.notes), try await ada.upload(Self.notes), try await ada.upload(Self.notes)
            )
            #expect(try await schedule(first.id, as: id).status == .created)
            #expect(try await schedule(second.id, as: id).status == .ok)
            #expect(try await ada.send([first], in: talk.id).status == .created)
            // There is no room for another.
            try await schedule(third.id, as: WireID()).expect(.validationFailed, parameter: "messageId")
            #expect(try await ada.send([third], in: talk.id).status == .created)
            // What cannot be had changes nothing.
            try await schedule(third.id, as: id).expect(.validationFailed, pointer: "/attachmentIds/0")
            try await ada.send([second], in: talk.id).expect(.validationFailed, pointer: "/attachmentIds/0")
        }
    }
}

extension TestServer {
    /// Has go what the collector has go.
    ///
    /// - Parameter isShown: whether the read models show the log before.
    func collect(at now: Date = Date(), isShown: Bool = true) async throws {
        let heads = isShown ? try await eventStore.log.heads() : []
        let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        _ = try await dependencies.checkpoints.wait(for: positions, timeout: .seconds(60))
        let collector = Collector(
            attachments: dependencies.attachments,
            eventStore: eventStore,
            logger: SecretWatch.logger
        )
        try await collector.collectDeleted()
        try await collector.collectRound(at: now)
        try await collector.removeBytes()
    }

    /// How many files there are on the disk.
    func blobs() async throws -> Int {
        let directory = dependencies.attachments.directory
        return FileManager.default.enumerator(atPath: "\(directory)/files")?.compactMap { $0 as? String }
            .filter { $0.hasSuffix(".full") || $0.hasSuffix(".thumbnail") }.count ?? 0
    }
}
