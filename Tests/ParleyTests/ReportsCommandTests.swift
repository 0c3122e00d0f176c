import Foundation
import Postgres
import TestSupport
import Testing

@testable import parley

/// What an operator sees of what people report, and does about it, beside a running server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Reports to the operators` {
    @Test func `are listed without what was said, shown with it, and closed, all of which is kept`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            func parley(_ arguments: String...) async throws -> ParleyProcess.Ended {
                try await ParleyProcess.run(["reports"] + arguments + ["--data-dir", directory])
            }
            #expect(try await parley().output.contains("no report waits"))
            let ada = try await Person.register("ada@example.org", "Ada", on: server)
            let mallory = try await Person.register("mallory@example.org", "Mallory", on: server)
            let conversation = try await ada.startDirect(with: mallory)
            let message = UUID().uuidString.lowercased()
            let path = "/v1/conversations/\(conversation)/messages/\(message)"
            let sent = try await mallory.client.send("PUT", path, #"{"text":"Send\u001b[2J money\nto me"}"#)
            #expect(sent.status == 201)
            let answer = try await ada.client.send(
                "POST",
                "/v1/reports",
                #"{"conversationId":"\#(conversation)","messageId":"\#(message)","reason":"fraud","comment":"Every day"}"#
            )
            let id = try #require(answer.value("id"), "\(answer.body)")
            #expect(try await mallory.client.send("DELETE", path).status == 204)

            let list = try await parley()
            #expect(list.code == 0 && list.output.contains(id))
            #expect(list.output.contains("fraud") && list.output.contains("a message of Mallory"))
            #expect(!list.output.contains("money") && !list.output.contains("Every day"))
            let status = try await ParleyProcess.run(["status", "--data-dir", directory])
            #expect(status.output.contains("reports     1 waiting, the oldest since "))
            #expect(status.output.contains("push        0 waiting"))
            #expect(status.output.contains("webhooks    0 conversations waiting"))

            let shown = try await parley("show", id)
            #expect(shown.code == 0 && shown.output.contains("    Every day"))
            // Nothing that a terminal would obey.
            #expect(shown.output.contains("    Send\\u{1b}[2J money\n    to me\n"))
            let account = NSUserName()
            #expect(shown.output.contains(" by \(account)\n"))
            #expect(try await parley("show", UUID().uuidString).code == 1)
            #expect(try await parley("show", "4711").code == 64)
            #expect(try await parley("close", "4711", "--note", "Closed the account").code == 64)

            #expect(try await parley("close", id, "--note", " ").code == 64)
            #expect(try await parley("close", id, "--note", "Closed the account").code == 0)
            #expect(try await parley("close", id, "--note", "Once more").code == 1)
            #expect(try await parley().output.contains("no report waits"))
            #expect(try await parley("list", "--closed").output.contains(id))
            #expect(try await parley("show", id).output.contains(" by \(account): Closed the account\n"))
            for (action, count) in [("report.open", 2), ("report.close", 1)] {
                let acts = try await OwnDatabase(directory: directory).count(
                    """
                    SELECT 1 FROM parley.audit a
                    WHERE a.action = \(action) AND a.target = \(id) AND a.operator = \("console:\(account)")
                    """
                )
                #expect(acts == count)
            }
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `show what would control a terminal, and draw the rest`() {
        #expect(TerminalText.line("a\u{7}b\u{202e}c\u{200b}d\te") == "a\\u{7}b\\u{202e}c\\u{200b}d\\u{9}e")
        #expect(TerminalText.line("Grüße, 你好 👨‍👩‍👧 é") == "Grüße, 你好 👨‍👩‍👧 é")
        #expect(TerminalText.block("one\r\ntwo\u{2028}three") == "    one\\u{d}\n    two\\u{2028}three")
    }
}
