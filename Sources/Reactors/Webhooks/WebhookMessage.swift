import EventSourcing
import Foundation
import ParleyWire

/// A message to a webhook's server, as it is sent each time that it is tried.
struct WebhookMessage: Sendable {
    /// Beyond this, `data` has ids alone.
    static let maxBytes = 20_480

    let id: String
    let body: [UInt8]

    /// - Parameter data: JSON as the stream has it.
    init(_ event: StreamEventName, _ data: Data, of record: RecordedEvent) {
        // The time makes it another id where a log goes on from an older state after a failover.
        let milliseconds = Int64((record.recordedAt.timeIntervalSince1970 * 1_000).rounded())
        id = "evt_\(record.partition)_\(record.position)_\(milliseconds)"
        let head = Self.head(event.rawValue, record.recordedAt)
        let place =
            #""conversationId":"\#(WireID(record.stream.id))","partition":\#(record.partition),"#
            + #""position":\#(record.position),"version":\#(record.version)"#
        let whole = Self.body(head, place, data)
        guard whole.count > Self.maxBytes else {
            body = whole
            return
        }
        body = Self.body(head, place + #","thin":true"#, Self.thinned(data))
    }

    /// A message that shows whether a server is reached and believes the signature.
    init(testAt now: Date) {
        id = "test_\(WireID(UUID()))"
        body = Self.body(Self.head("webhook.test", now), #""test":true"#, Data("{}".utf8))
    }

    private static func head(_ type: String, _ time: Date) -> String {
        #""type":"\#(type)","timestamp":"\#(Timestamp.format(time))""#
    }

    private static func body(_ head: String, _ place: String, _ data: Data) -> [UInt8] {
        Array("{\(head),\(place),\"data\":".utf8) + data + Array("}".utf8)
    }

    /// The ids alone, at the places where they always are.
    private static func thinned(_ data: Data) -> Data {
        guard case .object(let object)? = try? WireJSON.decoder().decode(JSONValue.self, from: data) else {
            return Data("{}".utf8)
        }
        var thin: [String: JSONValue] = [:]
        for (name, kept) in [
            ("message", ["id", "seq", "senderId"]), ("conversation", ["id"]), ("participant", ["userId"]),
        ] {
            guard case .object(let part)? = object[name] else { continue }
            thin[name] = .object(part.filter { kept.contains($0.key) })
        }
        for name in ["conversationId", "messageId"] { thin[name] = object[name] }
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return (try? encoder.encode(JSONValue.object(thin))) ?? Data("{}".utf8)
    }
}
