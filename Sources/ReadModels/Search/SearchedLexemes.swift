import Postgres

/// The lexemes that are looked for, found again among those of a chunk without making strings of these: a chunk has hundreds.
struct SearchedLexemes {
    /// How many groups there are; a message must have a lexeme of each.
    let groups: Int
    private var byHash: [UInt64: [Entry]] = [:]

    private struct Entry {
        let lexeme: [UInt8]
        let groups: [Int]
    }

    init(_ groups: [Set<String>]) {
        self.groups = groups.count
        let all = groups.reduce(into: Set()) { $0.formUnion($1) }
        for lexeme in all {
            let bytes = Array(lexeme.utf8)
            let own = groups.indices.filter { groups[$0].contains(lexeme) }
            byHash[bytes.withUnsafeBytes(Self.hash), default: []].append(Entry(lexeme: bytes, groups: own))
        }
    }

    /// The messages of a chunk that have a lexeme of each group.
    func places(in words: TextSearchVector) throws -> SearchChunk.Places {
        var found = [SearchChunk.Places](repeating: SearchChunk.Places(), count: groups)
        try words.forEachUTF8 { lexeme, positions in
            for entry in byHash[Self.hash(lexeme)] ?? [] where lexeme.elementsEqual(entry.lexeme) {
                let places = SearchChunk.Places(positions)
                for group in entry.groups { found[group].formUnion(places) }
            }
        }
        var common = found.first ?? SearchChunk.Places()
        for places in found.dropFirst() { common.formIntersection(places) }
        return common
    }

    /// FNV-1a: short, and good enough for what is compared afterwards.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
