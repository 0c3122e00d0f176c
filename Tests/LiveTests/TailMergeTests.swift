import EventSourcing
import Foundation
import ParleyWire
import TestSupport
import Testing

@testable import Live

struct TailMergeTests {
    private func event(_ position: Int64, of conversation: UUID) -> RecordedEvent {
        RecordedEvent(
            partition: 0,
            position: position,
            stream: StreamID(StreamCategory(rawValue: "conversation"), conversation),
            version: 1,
            commandID: UUID(),
            ordinal: 0,
            actor: nil,
            correlationID: nil,
            causationID: nil,
            recordedAt: .distantPast,
            body: .undecodable(type: "any", reason: ""),
            size: 0
        )
    }

    @Test(arguments: 0..<50)
    func `the tails of many conversations come in the order of the log`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let conversations = (0..<Int.random(in: 1...6, using: &random)).map { _ in UUID() }
        var log: [Int64: UUID] = [:]
        for position in 1...Int64(400) where random.chance(70) {
            log[position] = conversations.randomElement(using: &random)
        }
        let spans = conversations.map { conversation in
            TailMerge.Span(
                conversation: conversation,
                after: Int64.random(in: 0...100, using: &random),
                upTo: Int64.random(in: 50...400, using: &random)
            )
        }
        var merge = TailMerge(spans, budget: 1)
        var merged: [Int64] = []
        while true {
            for (place, rest) in merge.needs {
                let positions = log.filter { $1 == rest.conversation && rest.after < $0 && $0 <= rest.upTo }.keys
                let page = positions.sorted().prefix(merge.pageSize).map { event($0, of: rest.conversation) }
                merge.supply(page, at: place)
            }
            guard let peeked = merge.peek, let next = merge.next() else { break }
            #expect(peeked.position == next.position)
            merged.append(next.position)
        }
        let expected = log.filter { position, conversation in
            spans.contains { $0.conversation == conversation && $0.after < position && position <= $0.upTo }
        }
        #expect(merged == expected.keys.sorted())
    }

    @Test func `nothing is known before every conversation was read`() {
        let (one, other) = (UUID(), UUID())
        var merge = TailMerge([
            TailMerge.Span(conversation: one, after: 0, upTo: 9),
            TailMerge.Span(conversation: other, after: 0, upTo: 9),
            TailMerge.Span(conversation: UUID(), after: 9, upTo: 9),
        ])
        #expect(merge.needs.count == 2)
        merge.supply([event(5, of: one)], at: 0)
        #expect(merge.peek == nil)
        merge.supply([event(3, of: other)], at: 1)
        #expect(merge.peek?.position == 3)
    }
}

struct RecentItemsTests {
    private func item(_ partition: Int, _ position: Int64) -> HubItem {
        HubItem(partition: partition, position: position)
    }

    @Test func `what a reader has not seen comes in the order of passing on`() {
        var recent = RecentItems(startingAt: PositionVector([0, 0]), maxItems: 10, maxBytes: 1 << 20)
        for place in [(0, 1), (1, 1), (0, 2), (1, 2)] { recent.append(item(place.0, Int64(place.1))) }
        let items = recent.items(after: PositionVector([1, 1]))
        #expect(items?.map { [Int64($0.partition), $0.position] } == [[0, 2], [1, 2]])
    }

    @Test func `a reader from before what is kept must ask the log`() {
        var recent = RecentItems(startingAt: PositionVector([0, 0]), maxItems: 2, maxBytes: 1 << 20)
        for position in 1...4 { recent.append(item(0, Int64(position))) }
        #expect(recent.items(after: PositionVector([1, 0])) == nil)
        #expect(recent.items(after: PositionVector([2, 0]))?.count == 2)
    }

    @Test func `bytes are bounded too`() {
        var recent = RecentItems(startingAt: PositionVector([0]), maxItems: 100, maxBytes: 1_000)
        for position in 1...10 {
            var large = item(0, Int64(position))
            large.blocks.others = EventBlock(.ready, data: Array(repeating: 32, count: 400))
            recent.append(large)
        }
        #expect(recent.items(after: PositionVector([7])) == nil)
        #expect(recent.items(after: PositionVector([9]))?.count == 1)
    }
}
