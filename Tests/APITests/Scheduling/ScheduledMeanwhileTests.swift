import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API
@testable import Edge

/// What is scheduled again while a sender is at it: after it was found not to be sent, and before it has its row.
@Suite(.database) struct ScheduledMeanwhileTests {
    private let clock = TestClock()

    private func scheduling(on server: TestServer) -> Scheduling {
        let commands = ConversationCommands(
            eventStore: server.eventStore,
            identity: server.identity,
            clock: clock.command
        )
        return Scheduling(
            commands: commands,
            messages: ScheduledMessages(server.eventStore),
            alarm: server.dependencies.alarm,
            limits: ServerLimits(),
            files: AttachedFiles(attachments: server.dependencies.attachments, commands: commands)
        )
    }

    private func fields(_ text: String, in conversation: WireID, _ files: [WireID] = []) throws -> ScheduleFields {
        let sendAt = Timestamp.format(clock.now + 3_600)
        let ids = files.map { "\"\($0)\"" }.joined(separator: ",")
        let said = #""text":"\#(text)","attachmentIds":[\#(ids)]"#
        let body = #"{"conversationId":"\#(conversation)","sendAt":"\#(sendAt)",\#(said)}"#
        guard case .object(let members) = try JSONParser.parse(Array(body.utf8)) else { throw CommandError.loading }
        return try ScheduleFields(Fields(members), limits: ServerLimits())
    }

    @Test func `what was sent meanwhile is not scheduled once more`() async throws {
        try await TestServer.with({ $0.clock = clock.command }) { [clock] server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob).id
            let scheduling = scheduling(on: server)
            for text in ["Once", "Twice"] {
                let id = WireID()
                try await ada.schedule("Once", in: conversation, at: clock.now + 1, id: id)
                clock.advance(by: 1)
                try await server.sendDue()
                let fields = try fields(text, in: conversation)
                if text == "Once" {
                    let (answer, isNew) = try await scheduling.place(id.uuid, fields, by: ada.id.uuid, at: clock.now)
                    #expect(answer.status == .sent && answer.text == "Once" && !isNew)
                } else {
                    await #expect(throws: CommandError.idConflict) {
                        try await scheduling.place(id.uuid, fields, by: ada.id.uuid, at: clock.now)
                    }
                }
                #expect(try await ada.scheduled().items.isEmpty)
            }
            clock.advance(by: 3_600)
            #expect(try await server.sendDue() == nil)
            #expect(try await ada.texts(in: conversation) == ["Once", "Once"])
            // What nobody has sent has its row.
            let id = WireID()
            let later = try fields("Later", in: conversation)
            let (answer, isNew) = try await scheduling.place(id.uuid, later, by: ada.id.uuid, at: clock.now)
            #expect(answer.status == .scheduled && isNew)
            #expect(try await ada.scheduled().items.map(\.id) == [id])
        }
    }
    @Test func `what was sent meanwhile keeps its files`() async throws {
        try await TestServer.with({ $0.clock = clock.command }) { [clock] server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob).id
            let (id, file) = (WireID(), try await ada.upload(Array("Dear diary, ".utf8)))
            let more: [String: JSONValue] = ["attachmentIds": .array([.string("\(file.id)")])]
            try await ada.schedule("Once", in: conversation, at: clock.now + 1, id: id, more)
            clock.advance(by: 1)
            try await server.sendDue()
            let fields = try fields("Once", in: conversation, [file.id])
            _ = try await scheduling(on: server).place(id.uuid, fields, by: ada.id.uuid, at: clock.now)
            let uses = try await TestDatabase.current.pool.query(
                "SELECT FROM parley.attachment_uses u WHERE u.message_id = \(id.uuid)"
            )
            #expect(uses.count == 1)
        }
    }
}
