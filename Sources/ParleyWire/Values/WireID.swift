public import Foundation

/// A UUID that reads and writes as lower-case text, also as the key of a JSON object.
///
/// Foundation's `UUID` encodes upper case; the contract wants lower case. Decoding takes either.
public struct WireID: Hashable, Sendable {
    public var uuid: UUID

    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// A random id (version 4), for what has no order of its own.
    public init() {
        self.init(UUID())
    }

    /// Reads the 36 characters of a UUID in either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard let uuid = HexUUID.parse(text) else { return nil }
        self.init(uuid)
    }
}

extension WireID: CustomStringConvertible, LosslessStringConvertible {
    public var description: String { HexUUID.format(uuid) }

    /// Appends the text to bytes, without making a string of it.
    package func appendText(to bytes: inout [UInt8]) {
        HexUUID.append(uuid, to: &bytes)
    }
}

extension WireID: Comparable {
    public static func < (left: WireID, right: WireID) -> Bool { left.uuid < right.uuid }
}

extension WireID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = WireID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension WireID: CodingKeyRepresentable {
    public var codingKey: any CodingKey { WireIDKey(stringValue: description) }

    public init?(codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }
}

private struct WireIDKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
