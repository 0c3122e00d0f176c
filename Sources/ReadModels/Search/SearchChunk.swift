import Foundation
import ParleyWire
import Postgres

/// Messages of a conversation that follow each other, and are looked up together.
struct SearchChunk: Hashable {
    /// As many as the table's rows stand for: another number is another version of the projection.
    static let size: Int64 = 32
    /// Beyond all that a conversation can have.
    static let highest = Int64.max / size - 1

    let conversation: UUID
    let number: Int64

    init(conversation: UUID, number: Int64) {
        self.conversation = conversation
        self.number = number
    }

    init(conversation: UUID, holding seq: Int64) {
        self.init(conversation: conversation, number: (seq - 1) / Self.size)
    }

    init(_ row: Row) throws {
        self.init(conversation: try row.decode("conversation_id"), number: try row.decode("chunk"))
    }

    /// A place before that of every chunk.
    static let beforeAll = SearchChunk(
        conversation: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        number: -1
    )

    var first: Int64 { number * Self.size + 1 }
    var last: Int64 { (number + 1) * Self.size }

    func seq(at place: Int64) -> Int64 { first + place - 1 }
    func place(of seq: Int64) -> Int64 { seq - first + 1 }

    /// What the words of the rows of a table up to this one take where they are stored, the newest first.
    static func bytesUpToHere(_ table: String) -> SQL {
        """
        (sum(coalesce(pg_column_size(\(identifier: table).words), 0)) OVER (
            ORDER BY \(identifier: table).first_at DESC, \(identifier: table).conversation_id DESC, \(identifier: table).chunk DESC
            ROWS UNBOUNDED PRECEDING))::bigint
        """
    }

    func has(_ place: Int, in range: MessageRange) -> Bool {
        (range.first...range.last).contains(seq(at: Int64(place)))
    }

    /// Those of some of its messages.
    struct Places {
        private var bits: UInt32 = 0

        var isEmpty: Bool { bits == 0 }
        var count: Int { bits.nonzeroBitCount }
        var ascending: some Sequence<Int64> { (1...SearchChunk.size).lazy.filter { contains($0) } }

        init() {}

        init(_ positions: TextSearchVector.Positions) {
            for position in positions { insert(Int64(position)) }
        }

        func contains(_ place: Int64) -> Bool { bits & 1 << (place - 1) != 0 }
        mutating func insert(_ place: Int64) { bits |= 1 << (place - 1) }
        mutating func formUnion(_ other: Places) { bits |= other.bits }
        mutating func formIntersection(_ other: Places) { bits &= other.bits }
    }
}

/// What is looked for beside words stands among them, under names that no word has: letters and digits alone make words.
enum SearchMark {
    static func sentBy(_ person: UUID) -> String { "@by:\(WireID(person))" }
    static let mentionsAll = "@to:all"
    static let hasAttachments = "@has:attachment"
    static func isMark(_ lexeme: UnsafeRawBufferPointer) -> Bool { lexeme.first == UInt8(ascii: "@") }
    static func mentions(_ person: UUID) -> String { "@to:\(WireID(person))" }
}

/// Writes words for PostgreSQL.
enum SearchText {
    /// A `tsvector` takes no more than a mebibyte; this many bytes of lexemes and places always fit.
    private static let mostBytes = 900_000

    /// The text form of a `tsvector` with the places of each lexeme; nil where they are more than it takes.
    static func vector(_ places: [String: SearchChunk.Places]) -> String? {
        // As it stores them: each place takes two bytes, and so does their number, after a byte to begin evenly.
        let bytes = places.reduce(0) { $0 + $1.key.utf8.count + 3 + 2 * $1.value.count }
        guard bytes <= mostBytes else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes)
        for (lexeme, places) in places {
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            append(lexeme, to: &text)
            var separator = UInt8(ascii: ":")
            for place in places.ascending {
                text.append(separator)
                text.append(contentsOf: String(place).utf8)
                separator = UInt8(ascii: ",")
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text form of a `tsquery` for what has a lexeme of every group, at one place or wherever. An index knows no places:
    /// for one, PostgreSQL looks at all that has the lexemes.
    static func query(_ groups: [Set<String>], atOnePlace: Bool = false) -> String {
        groups.map { group in "(" + group.sorted().map(quoted).joined(separator: " | ") + ")" }
            .joined(separator: atOnePlace ? " <0> " : " & ")
    }

    private static func quoted(_ lexeme: String) -> String {
        var text: [UInt8] = []
        append(lexeme, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a lexeme in quotation marks.
    private static func append(_ lexeme: String, to text: inout [UInt8]) {
        let quote = UInt8(ascii: "'")
        text.append(quote)
        for byte in lexeme.utf8 {
            if byte == quote || byte == UInt8(ascii: "\\") { text.append(byte) }
            text.append(byte)
        }
        text.append(quote)
    }
}
