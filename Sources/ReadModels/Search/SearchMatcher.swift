import Foundation
import ParleyWire

/// Finds out whether messages are what is looked for, and how well they fit.
struct SearchMatcher {
    /// As many places of a message are shown as such.
    private static let mostHighlights = 100
    /// After so long a message is worth half as much as one of now.
    private static let halfLife: TimeInterval = 30 * 86_400

    let request: SearchRequest
    let caller: UUID
    var terms: [SearchTerm]

    /// What else but words a message must have, as search knows it.
    private var marks: [Set<String>] {
        (request.sender.map { [[SearchMark.sentBy($0)]] } ?? [])
            + (request.mentionsCaller ? [[SearchMark.mentions(caller), SearchMark.mentionsAll]] : [])
            + (request.hasAttachment ? [[SearchMark.hasAttachments]] : [])
    }

    /// Of each of these sets a message must have one.
    var groups: [Set<String>] { marks + terms.map(\.lexemes) }

    func admits(_ message: SearchedMessage) -> Bool {
        if let sender = request.sender, message.sender != sender { return false }
        if request.hasAttachment, !message.hasAttachments { return false }
        // In the milliseconds that clients know: a `Date` is a binary fraction.
        let sentAt = Timestamp.milliseconds(of: message.sentAt)
        if let after = request.after, sentAt < Timestamp.milliseconds(of: after) { return false }
        if let before = request.before, sentAt >= Timestamp.milliseconds(of: before) { return false }
        // As in the counts, nobody mentions oneself.
        return !request.mentionsCaller
            || message.sender != caller && (message.mentionsAll || message.mentions.contains(caller))
    }

    /// Where a text has the terms.
    struct Match {
        /// In Unicode scalars.
        let highlights: [Range<Int>]
        /// Above 0, up to 1: the more of the terms are there as they were asked for, and the nearer they are to each other.
        let fitness: Double
        /// Whether all of the terms are there as they were asked for.
        let isExact: Bool
    }

    /// Nil where the text does not have all terms.
    func match(_ text: String, _ lexemes: Lexemes) -> Match? {
        guard !terms.isEmpty else { return Match(highlights: [], fitness: 1, isExact: true) }
        var hits: [(place: Int, term: Int)] = []
        var highlights: [Range<Int>] = []
        var exact: Set<Int> = []
        for (place, word) in SearchWords.places(in: text).enumerated() {
            let found = lexemes[word.word]
            var isHit = false
            for (index, term) in terms.enumerated() {
                if found.contains(where: term.exact.contains) {
                    exact.insert(index)
                } else if !found.contains(where: term.similar.contains) {
                    continue
                }
                hits.append((place, index))
                isHit = true
            }
            if isHit { highlights.append(word.scalars) }
        }
        guard let width = narrowest(hits) else { return nil }
        let closeness = Double(terms.count) / Double(max(width, terms.count))
        let exactness = Double(exact.count + terms.count) / Double(2 * terms.count)
        return Match(
            highlights: Self.joined(highlights),
            fitness: exactness * (1 + closeness) / 2,
            isExact: exact.count == terms.count
        )
    }

    /// In order, and those that overlap as one: the words of two letters that a longer one consists of.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.endIndex - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return Array(joined.prefix(mostHighlights))
    }

    /// How many words the shortest passage with all terms has; nil where there is none.
    private func narrowest(_ hits: [(place: Int, term: Int)]) -> Int? {
        var counts = [Int](repeating: 0, count: terms.count)
        var missing = terms.count
        var start = hits.startIndex
        var best: Int?
        for hit in hits {
            counts[hit.term] += 1
            if counts[hit.term] == 1 { missing -= 1 }
            while missing == 0 {
                let first = hits[start]
                best = min(best ?? .max, hit.place - first.place + 1)
                counts[first.term] -= 1
                if counts[first.term] == 0 { missing += 1 }
                start += 1
            }
        }
        return best
    }

    /// What the messages of a block are ordered by.
    func score(_ match: Match, sentAt: Date, asOf now: Date) -> Double {
        match.fitness / (1 + max(0, now.timeIntervalSince(sentAt)) / Self.halfLife)
    }
}
