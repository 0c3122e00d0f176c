package import NIOCore

/// What a client makes of the bytes of a stream, by the rules of the HTML standard (§9.2.6).
package struct SentEvents {
    package struct Event: Equatable {
        package var name: String
        package var data: String
        /// The last event id when the event was dispatched.
        package var lastID: String
    }

    package private(set) var events: [Event] = []
    package private(set) var lastID = ""
    package private(set) var retry: Int?
    package private(set) var comments = 0
    private var pending: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var idBuffer = ""

    package init() {}

    package mutating func feed(_ buffer: ByteBuffer) {
        for byte in buffer.readableBytesView {
            guard byte == UInt8(ascii: "\n") else {
                pending.append(byte)
                continue
            }
            take(line: String(decoding: pending, as: UTF8.self))
            pending = []
        }
    }

    private mutating func take(line: String) {
        if line.isEmpty { return dispatch() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = parts.count == 2 ? (parts[1].hasPrefix(" ") ? String(parts[1].dropFirst()) : parts[1]) : ""
        switch parts[0] {
        case "": comments += 1
        case "event": name = value
        case "data": data.append(value)
        case "id": idBuffer = value
        case "retry": retry = Int(value)
        default: break
        }
    }

    private mutating func dispatch() {
        lastID = idBuffer
        if !data.isEmpty {
            let whole = data.joined(separator: "\n")
            events.append(Event(name: name.isEmpty ? "message" : name, data: whole, lastID: lastID))
        }
        name = ""
        data = []
    }
}
