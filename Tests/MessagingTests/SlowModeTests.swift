import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

private let noon = Date(timeIntervalSince1970: 1_000_000)

private let started = ConversationEvent.started(
    ConversationStarted(
        kind: .group,
        members: [.init(id: ada, role: .owner), .init(id: grace, role: .member), .init(id: alan, role: .admin)]
    )
)

private func change(_ seconds: Int?, by actor: UUID) -> ConversationCommand {
    .changeGroup(
        ChangeGroup(
            actor: actor,
            name: nil,
            icon: .unchanged,
            joinPolicy: nil,
            historyVisibility: nil,
            slowMode: seconds.map { .set($0) } ?? .cleared
        )
    )
}

private func changed(_ seconds: Int?) -> ConversationEvent { .slowModeChanged(SlowModeChanged(seconds: seconds)) }

private func command(from sender: UUID, after seconds: TimeInterval, as id: UInt8 = 60) -> SendMessage {
    SendMessage(
        messageID: person(id),
        sender: sender,
        text: "one",
        replyTo: nil,
        mentions: [],
        clientTimestamp: nil,
        now: noon + seconds
    )
}

private func send(from sender: UUID, after seconds: TimeInterval) -> ConversationCommand {
    .send(command(from: sender, after: seconds))
}

private func sent(from sender: UUID, seq: Int64, after seconds: TimeInterval?, recipients: Int = 2) -> ConversationEvent
{
    .messageSent(
        MessageSent(
            messageID: person(60),
            sender: sender,
            seq: seq,
            text: "one",
            recipientCount: recipients,
            pacedAt: seconds.map { noon + $0 }
        )
    )
}

private typealias Given = TestSupport.Given<ConversationDecider>

@Suite struct `Waiting between two messages` {
    @Test func `is for owners and admins to ask for, in groups`() {
        for actor in [ada, alan] { Given(started).when(change(60, by: actor)).then(changed(60)) }
        Given(started).when(change(60, by: grace)).thenRejected(.roleTooLow)
        Given(started, changed(60)).when(change(60, by: ada)).then()
        Given(started, changed(60)).when(change(nil, by: ada)).then(changed(nil))
        Given(started).when(change(nil, by: ada)).then()
        let direct = ConversationEvent.started(
            ConversationStarted(kind: .direct, members: [ada, grace].map { .init(id: $0, role: .member) })
        )
        Given(direct).when(change(60, by: ada)).thenRejected(.directIsFixed)
    }

    @Test func `is for members, each alone, from their own last message on`() {
        let state = Given(started, changed(60), sent(from: grace, seq: 1, after: 0))
        state.when(send(from: grace, after: 0)).thenRejected(.tooSoon(seconds: 60))
        state.when(send(from: grace, after: 59.001)).thenRejected(.tooSoon(seconds: 1))
        state.when(send(from: grace, after: 60)).then(sent(from: grace, seq: 2, after: 60))
        // Owners and admins need not wait, and what they send is kept as ever.
        for person in [ada, alan] {
            state.when(send(from: person, after: 1)).then(sent(from: person, seq: 2, after: nil))
        }
    }

    @Test func `begins with the limit, and ends with it`() {
        Given(started, sent(from: grace, seq: 1, after: nil), changed(60)).when(send(from: grace, after: 1))
            .then(sent(from: grace, seq: 2, after: 1))
        Given(started, changed(60), sent(from: grace, seq: 1, after: 0), changed(nil)).when(send(from: grace, after: 1))
            .then(sent(from: grace, seq: 2, after: nil))
        // A shorter one counts for who waits already.
        Given(started, changed(60), sent(from: grace, seq: 1, after: 0), changed(10)).when(send(from: grace, after: 10))
            .then(sent(from: grace, seq: 2, after: 10))
    }

    @Test func `is not got around by leaving, nor by several at once`() {
        let left = ConversationEvent.participantRemoved(ParticipantRemoved(person: grace, headSeq: 1))
        let back = ConversationEvent.participantAdded(ParticipantAdded(person: grace, role: .member, headSeq: 1))
        Given(started, changed(60), sent(from: grace, seq: 1, after: 0), left, back).when(send(from: grace, after: 1))
            .thenRejected(.tooSoon(seconds: 59))
        let batch = SendMessages(messages: [command(from: grace, after: 0), command(from: grace, after: 0, as: 61)])
        Given(started, changed(60)).when(.sendMessages(batch)).thenRejected(.tooSoon(seconds: 60))
    }

    @Test func `is never longer than the limit, whatever the clocks say`() {
        Given(started, changed(60), sent(from: grace, seq: 1, after: 7_200)).when(send(from: grace, after: 0))
            .thenRejected(.tooSoon(seconds: 60))
    }

    @Test func `remembers no more people than it must`() throws {
        var state = ConversationDecider.initialState
        for event in [started, changed(60)] { ConversationDecider.evolve(&state, event) }
        for number in 1...100 {
            let guest = person(UInt8(100 + number % 100))
            let added = ParticipantAdded(person: guest, role: .member, headSeq: Int64(number))
            ConversationDecider.evolve(&state, .participantAdded(added))
            ConversationDecider.evolve(
                &state,
                sent(from: guest, seq: Int64(number), after: TimeInterval(number) * 61)
            )
            ConversationDecider.evolve(
                &state,
                .participantRemoved(ParticipantRemoved(person: guest, headSeq: Int64(number)))
            )
        }
        let stored = String(decoding: try JSONEncoder().encode(state.slowMode), as: UTF8.self)
        #expect(stored.split(separator: "-4000-").count - 1 <= 2 * 4)
    }
}
