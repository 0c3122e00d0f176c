import NIOCore
import Testing

@testable import parley_load

struct StreamScannerTests {
    private let stream = """
        retry: 1500

        id: cursor-1
        event: hello
        data: {"resumed":true,"note":"~1000000099 is no message"}

        : a comment
        id: cursor-2
        event: message.created
        data: {"message":{"id":"0","text":"~1000000007 Lorem ipsum"}}

        event: message.created
        data: {"message":{"id":"0","text":"said by somebody else"}}

        event: ready
        data: {}

        id: cursor-3

        event: message.created
        data: {"message":{"id":"0","text":"~1000000008 Lorem ipsum"}}


        """

    @Test(arguments: [1, 2, 7, 64, 10_000])
    func `messages, readiness and cursor are found however the bytes are cut`(pieces: Int) throws {
        var scanner = StreamScanner()
        var numbers: [Int] = []
        var rest = ArraySlice(stream.utf8)
        while !rest.isEmpty {
            try Array(rest.prefix(pieces)).withUnsafeBytes { try scanner.feed($0) { numbers.append($0) } }
            rest = rest.dropFirst(pieces)
        }
        #expect(numbers == [7, 8])
        #expect(scanner.messages == 3)
        #expect(scanner.isReady)
        #expect(scanner.cursor == "cursor-3")
    }

    @Test(arguments: [1, 7, 10_000])
    func `presence and typing are counted, and who is there`(pieces: Int) throws {
        let ids = (0..<3).map { "01a20b96-ff4d-784e-a1a0-94281\($0)c7fdcd" }
        let presences = [(0, "online"), (1, "away"), (0, "online"), (2, "online"), (2, "offline")].map {
            person,
            status in
            "event: presence.updated\ndata: {\"presence\":{\"status\":\"\(status)\"},\"userId\":\"\(ids[person])\"}\n\n"
        }
        let typing = "event: typing.updated\ndata: {\"userId\":\"\(ids[0])\",\"typing\":true}\n\n"
        var scanner = StreamScanner()
        var rest = ArraySlice((presences.joined() + typing).utf8)
        while !rest.isEmpty {
            try Array(rest.prefix(pieces)).withUnsafeBytes { try scanner.feed($0) }
            rest = rest.dropFirst(pieces)
        }
        #expect(scanner.presences == 5)
        #expect(scanner.present.count == 2)
        #expect(scanner.typings == 1)
        #expect(scanner.messages == 0)
    }

    @Test func `a stream is not ready before it says so`() throws {
        var scanner = StreamScanner()
        try Array("event: ready\n".utf8).withUnsafeBytes { try scanner.feed($0) }
        #expect(!scanner.isReady)
        #expect(scanner.cursor.isEmpty)
    }

    @Test(arguments: ["~", "~123", "~12345x7890", "~999999999999"])
    func `what is no number is no message of ours`(text: String) throws {
        var scanner = StreamScanner()
        var numbers: [Int] = []
        try Array("event: message.created\ndata: \(text)\n\n".utf8).withUnsafeBytes { bytes in
            try scanner.feed(bytes) { numbers.append($0) }
        }
        // Ten digits are a number, which the run then does not know.
        #expect(numbers.allSatisfy { $0 > 1_000_000_000 })
        #expect(scanner.messages == 1)
    }

    @Test func `requests of an open loop are due at even intervals`() {
        let schedule = Schedule(start: .uptimeNanoseconds(1_000), rate: 500)
        #expect(schedule.due(0) == .uptimeNanoseconds(1_000))
        #expect(schedule.due(1) == .uptimeNanoseconds(2_001_000))
        #expect(schedule.due(5_000) == .uptimeNanoseconds(10_000_001_000))
    }

    @Test func `memory is read out of what a server tells`() {
        let text = """
            # TYPE process_resident_memory_bytes gauge
            process_resident_memory_bytes 123456789
            process_open_fds 12
            """
        #expect(ResidentMemory.value(in: text) == 123_456_789)
        #expect(ResidentMemory.value(in: "process_open_fds 12") == nil)
    }
}
