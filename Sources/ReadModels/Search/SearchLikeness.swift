import Foundation

/// What is like a word: lexemes that have it in them, and those that are spelled much like it. Thousands are compared for
/// one question, so they are looked at as they are stored, and most are told apart by their length and letters alone.
///
/// A letter is a Unicode scalar: words are composed.
struct SearchLikeness {
    private let bytes: [UInt8]
    private let letters: [Unicode.Scalar]
    private let kinds: UInt64
    /// How many mistakes are one too few to be another word.
    private let allowance: Int
    private let exact: Set<[UInt8]>

    init(_ term: SearchTerm) {
        bytes = Array(term.word.utf8)
        letters = Array(term.word.unicodeScalars)
        kinds = Self.kinds(of: letters)
        allowance = Spelling.allowance(for: letters.count)
        exact = Set(term.exact.map { Array($0.utf8) })
    }

    func isExact(_ lexeme: UnsafeRawBufferPointer) -> Bool {
        exact.contains { $0.elementsEqual(lexeme) }
    }

    /// Single letters too many others have in them.
    func isContained(in lexeme: UnsafeRawBufferPointer) -> Bool {
        guard letters.count > 1 else { return false }
        if letters.count == 2 { return lexeme.starts(with: bytes) }
        return bytes.withUnsafeBytes { part in
            guard let first = part.first, let text = lexeme.baseAddress, let part = part.baseAddress else {
                return false
            }
            var start = 0
            while start + bytes.count <= lexeme.count,
                let found = memchr(text + start, Int32(first), lexeme.count - start - bytes.count + 1)
            {
                if memcmp(found, part, bytes.count) == 0 { return true }
                start = UnsafeRawPointer(found) - text + 1
            }
            return false
        }
    }

    /// Whether somebody may have meant the lexeme.
    func isSpelled(like lexeme: UnsafeRawBufferPointer) -> Bool {
        // A letter takes one to four bytes; true of most, and no letter is decoded for it.
        guard allowance > 0, lexeme.count + allowance >= letters.count,
            lexeme.count <= 4 * (letters.count + allowance)
        else { return false }
        let others = Array(String(decoding: lexeme, as: UTF8.self).unicodeScalars)
        guard abs(others.count - letters.count) <= allowance else { return false }
        // A mistake adds and takes away one kind of letter at most.
        let otherKinds = Self.kinds(of: others)
        guard (kinds & ~otherKinds).nonzeroBitCount <= allowance, (otherKinds & ~kinds).nonzeroBitCount <= allowance
        else { return false }
        return Spelling.distance(letters, others) <= allowance
    }

    private static func kinds(of letters: [Unicode.Scalar]) -> UInt64 {
        letters.reduce(0) { $0 | 1 << UInt64($1.value & 63) }
    }
}
