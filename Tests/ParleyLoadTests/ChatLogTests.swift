import Foundation
import Testing

@testable import parley_load

struct ChatLogTests {
    private func log(_ text: String, limit: Int? = nil) throws -> ChatLog {
        let path = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID()).jsonl")
        try Data(text.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        return try ChatLog(path: path.path, limit: limit)
    }

    @Test func `messages, replies and renames are read`() throws {
        let log = try log(
            """
            {"line": 0, "channel": "c", "at": "2019-09-04T22:44:46Z", "kind": "message", "sender": "ann", "text": "hi"}
            {"line": 4, "channel": "c", "kind": "rename", "sender": "ann", "newName": "anna"}
            {"line": 7, "channel": "c", "at": "2019-09-04T22:45:00Z", "kind": "message", "sender": "anna", "text": "yo", \
            "replyTo": 0}

            """
        )
        #expect(log.lines.map(\.kind) == [.message, .rename, .message])
        #expect(log.lines.map(\.replyTo) == [nil, nil, 0])
        #expect(log.lines[1].newName == "anna")
    }

    @Test func `only the first lines are read where so many are asked for`() throws {
        let line = #"{"line": 0, "kind": "join", "sender": "ann"}"# + "\n"
        #expect(try log(line + line + "garbage", limit: 2).lines.count == 2)
    }

    @Test(arguments: ["", "\n", "garbage", #"{"line": "x"}"#])
    func `what is no log is refused`(text: String) {
        #expect(throws: ChatLog.Unreadable.self) { try log(text) }
    }
}
