import Foundation

/// A page's cursor that was not made here, or not for this list.
package struct BadCursor: Error, Equatable {
    package init() {}
}

/// Where a page of a list ends: opaque to clients, base64url of the list's kind and the last item's place.
struct PageCursor {
    enum Kind: UInt8 {
        case conversations = 1
        case history = 2
        case participants = 3
        case directory = 4
        case receipts = 5
        case pins = 6
        case blocks = 7
        case stars = 8
        case scheduled = 9
        case search = 11
        case waitingReports = 12
        case closedReports = 13
        case versions = 14
    }

    private var bytes: [UInt8]

    init(_ kind: Kind) {
        bytes = [kind.rawValue]
    }

    var text: String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    func appending(_ number: Int64) -> PageCursor {
        var copy = self
        withUnsafeBytes(of: number.bigEndian) { copy.bytes.append(contentsOf: $0) }
        return copy
    }

    /// To the microsecond, as PostgreSQL stores it.
    func appending(_ date: Date) -> PageCursor {
        appending(Int64(exactly: (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()) ?? 0)
    }

    func appending(_ id: UUID) -> PageCursor {
        var copy = self
        withUnsafeBytes(of: id.uuid) { copy.bytes.append(contentsOf: $0) }
        return copy
    }

    /// The last part, since its end is the cursor's.
    func appending(_ text: String) -> PageCursor {
        var copy = self
        copy.bytes.append(contentsOf: text.utf8)
        return copy
    }
}

/// Reads a cursor, which comes from outside, part by part.
struct PageCursorReader {
    private var rest: ArraySlice<UInt8>

    /// Far enough for any date that means something, and inside what PostgreSQL stores.
    private static let farthest: Int64 = 200_000_000_000_000_000

    init(_ text: String, _ kind: PageCursor.Kind) throws(BadCursor) {
        guard text.utf8.count <= 1_024 else { throw BadCursor() }
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), data.first == kind.rawValue else { throw BadCursor() }
        rest = [UInt8](data.dropFirst())[...]
    }

    mutating func number() throws(BadCursor) -> Int64 {
        try take(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    mutating func date() throws(BadCursor) -> Date {
        let microseconds = try number()
        guard (-Self.farthest...Self.farthest).contains(microseconds) else { throw BadCursor() }
        return Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000)
    }

    mutating func id() throws(BadCursor) -> UUID {
        let bytes = Array(try take(16))
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    mutating func text() throws(BadCursor) -> String {
        guard let text = String(validating: rest, as: UTF8.self), !text.utf8.contains(0) else { throw BadCursor() }
        rest = []
        return text
    }

    var isAtEnd: Bool { rest.isEmpty }

    func end() throws(BadCursor) {
        guard isAtEnd else { throw BadCursor() }
    }

    private mutating func take(_ count: Int) throws(BadCursor) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw BadCursor() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
