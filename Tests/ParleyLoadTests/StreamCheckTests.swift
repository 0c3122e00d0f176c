import ParleyWire
import Testing

@testable import parley_load

/// Each test spoils what a good stream brought in one way.
struct StreamCheckTests {
    /// Dan joins after the first message, is away for the third, and is back for the fourth.
    private static let conversation = {
        var conversation = Samples.conversation()
        conversation.sent([Samples.sent(1, by: Samples.ann)])
        conversation.join(Samples.dan)
        conversation.sent([Samples.sent(2, by: Samples.ann)])
        conversation.leave(Samples.dan)
        conversation.sent([Samples.sent(3, by: Samples.ann)])
        conversation.join(Samples.dan)
        conversation.sent([Samples.sent(4, by: Samples.ann)])
        return conversation
    }()

    private func sighting(_ seq: Int64, text: String? = nil) -> SeenMessages.Sighting {
        SeenMessages.Sighting(id: Samples.id(1000 + Int(seq)), seq: seq, text: text ?? "text \(seq)")
    }

    private func differences(
        _ sightings: [SeenMessages.Sighting],
        of person: WireID = Samples.dan,
        birth: Acknowledgement.Birth? = .now
    ) -> [String] {
        StreamCheck(expected: Self.conversation, person: person) { _ in birth }.differences(of: sightings)
    }

    @Test func `a stream that brought one's stays passes`() {
        #expect(differences([sighting(2), sighting(4)]).isEmpty)
        #expect(differences((1...4).map { sighting($0) }, of: Samples.bob).isEmpty)
    }

    @Test func `a message that never came is found`() {
        #expect(differences([sighting(2)]) == ["seq 4 never came"])
    }

    @Test func `a message that came twice is found`() {
        #expect(differences([sighting(2), sighting(2), sighting(4)]) == ["seq 2 came after 2", "seq 2 came 2 times"])
    }

    @Test func `messages out of order are found`() {
        #expect(differences([sighting(4), sighting(2)]) == ["seq 2 came after 4"])
    }

    @Test func `a message from before joining or after leaving is found`() {
        #expect(differences([sighting(1), sighting(2), sighting(4)]) == ["seq 1 came 1 times, not being a member"])
        #expect(differences([sighting(2), sighting(3), sighting(4)]) == ["seq 3 came 1 times, not being a member"])
    }

    @Test func `a message nobody sent is found`() {
        #expect(differences([sighting(2), sighting(4), sighting(9)]).count == 1)
    }

    @Test func `other words are found`() {
        #expect(differences([sighting(2, text: "x"), sighting(4)]) == ["seq 2 came as 2 or with other words"])
    }

    @Test func `words that the message had at some time are right, none at all of a deleted one alone`() {
        var conversation = Self.conversation
        conversation.change(Samples.id(1002)) { $0.edit("edited") }
        conversation.change(Samples.id(1004)) { $0.delete(by: Samples.ann) }
        let gone = SeenMessages.Sighting(id: Samples.id(1004), seq: 4, text: nil)
        func differences(_ sightings: [SeenMessages.Sighting]) -> [String] {
            StreamCheck(expected: conversation, person: Samples.dan) { _ in .now }.differences(of: sightings)
        }
        #expect(differences([sighting(2), sighting(4)]).isEmpty)
        #expect(differences([sighting(2, text: "edited"), gone]).isEmpty)
        let blank = SeenMessages.Sighting(id: Samples.id(1002), seq: 2, text: nil)
        #expect(differences([blank, gone]) == ["seq 2 came as 2 or with other words"])
    }

    @Test(arguments: [Acknowledgement.Birth.before, .unknown, nil])
    func `what an earlier run sent need not come, but never twice`(birth: Acknowledgement.Birth?) {
        #expect(differences([], birth: birth).isEmpty)
        #expect(differences([sighting(2)], birth: birth).isEmpty)
        #expect(!differences([sighting(2), sighting(2)], birth: birth).isEmpty)
    }
}
