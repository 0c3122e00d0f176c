import Foundation
import ParleyWire
import Testing

@testable import API
@testable import Edge

@Suite struct CanonicalContentTests {
    private func content(_ json: String) throws -> [UInt8] {
        guard case .object(let members) = try JSONParser.parse(Array(json.utf8)) else { return [] }
        return try SendMessageFields(Fields(members), limits: ServerLimits()).content
    }

    @Test func `the time on the client's clock does not count`() throws {
        let one = try content(#"{"text": "Hi", "clientTimestamp": "2026-03-01T10:00:00Z"}"#)
        #expect(try one == content(#"{"text": "Hi"}"#))
    }

    @Test func `the order of mentions does not count`() throws {
        let ids = (UUID(), UUID())
        #expect(
            try content(#"{"text": "Hi", "mentions": ["\#(ids.0)", "\#(ids.1)"]}"#)
                == content(#"{"text": "Hi", "mentions": ["\#(ids.1)", "\#(ids.0)", "\#(ids.1)"]}"#)
        )
        #expect(
            try content(#"{"text": "Hi", "mentions": ["@all", "\#(ids.0)"]}"#)
                == content(#"{"text": "Hi", "mentions": ["\#(ids.0)", "@all", "@all"]}"#)
        )
    }

    @Test func `everything else counts`() throws {
        let id = UUID()
        let contents = [
            try content(#"{"text": "Hi"}"#), try content(#"{"text": "Hi "}"#),
            try content(#"{"text": "Hi", "replyToId": "\#(id)"}"#),
            try content(#"{"text": "Hi", "mentions": ["\#(id)"]}"#),
            try content(#"{"text": "Hi", "mentions": ["@all"]}"#),
            try content(#"{"text": "Hi", "mentions": ["@all", "\#(id)"]}"#),
        ]
        #expect(Set(contents).count == contents.count)
    }

    @Test func `the bytes of a message are fixed for ever`() throws {
        let expected: [UInt8] =
            [1, 0, 0, 0, 11] + Array("sendMessage".utf8) + [1, 0, 0, 0, 2] + Array("Hi".utf8) + [0] + [1, 0, 0, 0, 0]
        #expect(try content(#"{"text": "Hi"}"#) == expected)
        let all = try content(#"{"text": "Hi", "mentions": ["@all"]}"#)
        #expect(all == expected + [1, 0, 0, 0, 4] + Array("@all".utf8))
    }
}
