/// How differently two words are spelled.
enum Spelling {
    /// How many mistakes a word may have to be taken for another: the longer, the more.
    static func allowance(for word: String) -> Int { allowance(for: word.count) }

    /// - Parameter letters: how many the word has.
    static func allowance(for letters: Int) -> Int {
        switch letters {
        case ...2: 0
        case 3...5: 1
        default: 2
        }
    }

    /// The least number of letters to insert, leave out, change, or swap with their neighbour, to make one word of the
    /// other (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int { distance(Array(first), Array(second)) }

    static func distance<Letter: Equatable>(_ a: [Letter], _ b: [Letter]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            row.reserveCapacity(b.count + 1)
            for j in 1...b.count {
                var best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, beforeLast[j - 2] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }

    /// How many mistakes it takes to read the asked words in a name, each as a word or the beginning of one; nil where a
    /// word has more than it may.
    static func mistakes(in asked: [String], for name: [String]) -> Int? {
        var sum = 0
        for word in asked {
            let least = name.map { min(distance(word, $0), distance(word, String($0.prefix(word.count)))) }.min()
            guard let least, least <= allowance(for: word) else { return nil }
            sum += least
        }
        return sum
    }
}
