import Foundation

/// Reads `text/event-stream`, as the WHATWG's HTML standard defines it, from bytes in pieces of any size.
struct EventParser {
    /// An event larger than this is no chat: the stream is broken.
    static let largestEvent = 16 << 20

    struct TooLarge: Error {}

    /// The last `id` that a finished block set; where a broken stream goes on.
    private(set) var lastEventID: String
    /// Milliseconds of the last `retry`.
    private(set) var retry: Int?

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var blockID: String?
    private var skipsLineFeed = false
    private var isFirstLine = true

    init(lastEventID: String = "") {
        self.lastEventID = lastEventID
    }

    /// Takes the next bytes and returns the events that they finish.
    mutating func feed(_ bytes: some Sequence<UInt8>) throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            if skipsLineFeed {
                skipsLineFeed = false
                if byte == UInt8(ascii: "\n") { continue }
            }
            switch byte {
            case UInt8(ascii: "\n"): endLine(into: &events)
            case UInt8(ascii: "\r"):
                skipsLineFeed = true
                endLine(into: &events)
            default:
                line.append(byte)
                if line.count + data.count > Self.largestEvent { throw TooLarge() }
            }
        }
        return events
    }

    private mutating func endLine(into events: inout [ServerSentEvent]) {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty {
            endBlock(into: &events)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            if colon == 0 { return }
            var value = line[(colon + 1)...]
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            take(field: line[..<colon], value: value)
        } else {
            take(field: line[...], value: [])
        }
    }

    private mutating func take(field: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        switch String(decoding: field, as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data.append(contentsOf: value)
            hasData = true
        case "id" where !value.contains(0): blockID = String(decoding: value, as: UTF8.self)
        case "retry": retry = Int(String(decoding: value, as: UTF8.self)) ?? retry
        default: break
        }
    }

    private mutating func endBlock(into events: inout [ServerSentEvent]) {
        if let blockID { lastEventID = blockID }
        if hasData {
            events.append(
                ServerSentEvent(
                    name: name.isEmpty ? "message" : name,
                    data: Data(data),
                    lastEventID: lastEventID,
                    hasOwnID: blockID != nil
                )
            )
        }
        name = ""
        data.removeAll(keepingCapacity: true)
        hasData = false
        blockID = nil
    }
}
