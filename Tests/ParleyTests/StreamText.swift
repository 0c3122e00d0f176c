import Foundation
import Testing

/// What a stream has written so far, out of its chunks (RFC 9112 §7.1).
struct StreamText {
    struct Event {
        let name: String
        let id: String?
        let data: [String: Any]

        /// The message that the event tells of.
        var message: (id: String, seq: Int, conversation: String)? {
            guard name == "message.created", let message = data["message"] as? [String: Any],
                let id = message["id"] as? String, let seq = message["seq"] as? Int,
                let conversation = data["conversationId"] as? String
            else { return nil }
            return (id, seq, conversation)
        }
    }

    private(set) var events: [Event] = []
    /// The newest cursor.
    private(set) var cursor: String?

    init(_ raw: String) throws {
        let parts = raw.split(separator: "\r\n\r\n", maxSplits: 1)
        try #require(parts.count == 2)
        var rest = Substring(parts[1]).utf8
        var text: [UInt8] = []
        while let lineEnd = rest.firstRange(of: "\r\n".utf8),
            let size = Int(String(rest[..<lineEnd.lowerBound]) ?? "", radix: 16),
            rest.distance(from: lineEnd.upperBound, to: rest.endIndex) >= size + 2
        {
            text += rest[lineEnd.upperBound...].prefix(size)
            rest = rest[rest.index(lineEnd.upperBound, offsetBy: size + 2)...]
        }
        for block in String(decoding: text, as: UTF8.self).components(separatedBy: "\n\n") { try take(block) }
    }

    private mutating func take(_ block: String) throws {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        if let id = fields["id"] { cursor = id }
        guard let name = fields["event"], let data = fields["data"] else { return }
        let value = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        events.append(Event(name: name, id: fields["id"], data: value ?? [:]))
    }
}
