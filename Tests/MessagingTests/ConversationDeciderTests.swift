import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

let ada = person(1)
let grace = person(2)
let alan = person(3)
let bender = person(4)

func person(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
}

private func group(
    _ members: [(UUID, Role)] = [(ada, .owner), (grace, .member), (alan, .member)],
    joinPolicy: JoinPolicy = .invite
) -> ConversationEvent {
    .started(
        ConversationStarted(
            kind: .group,
            members: members.map { .init(id: $0.0, role: $0.1) },
            joinPolicy: joinPolicy,
            name: "Friends"
        )
    )
}

private let direct = ConversationEvent.started(
    ConversationStarted(kind: .direct, members: [.init(id: ada, role: .member), .init(id: grace, role: .member)])
)

private func send(_ text: String = "hello", from sender: UUID, id: UUID = person(99)) -> ConversationCommand {
    .send(
        SendMessage(messageID: id, sender: sender, text: text, replyTo: nil, mentions: [], clientTimestamp: nil)
    )
}

private func sent(_ text: String = "hello", from sender: UUID, seq: Int64, recipients: Int) -> ConversationEvent {
    .messageSent(
        MessageSent(messageID: person(99), sender: sender, seq: seq, text: text, recipientCount: recipients)
    )
}

private func put(_ person: UUID, by actor: UUID, as role: Role? = nil, limit: Int = 10) -> ConversationCommand {
    .putParticipant(PutParticipant(actor: actor, person: person, role: role, maxMembers: limit))
}

private func added(_ person: UUID, as role: Role = .member, headSeq: Int64 = 0) -> ConversationEvent {
    .participantAdded(ParticipantAdded(person: person, role: role, headSeq: headSeq))
}

private func left(_ person: UUID) -> ConversationEvent {
    .participantRemoved(ParticipantRemoved(person: person, headSeq: 0, hasLeft: true))
}

private func removed(_ person: UUID, headSeq: Int64 = 0) -> ConversationEvent {
    .participantRemoved(ParticipantRemoved(person: person, headSeq: headSeq))
}

private func advanced(_ person: UUID, _ delivered: Int64, _ read: Int64) -> ConversationEvent {
    .receiptsAdvanced(ReceiptsAdvanced(marks: [.init(person: person, deliveredSeq: delivered, readSeq: read)]))
}

private func advance(_ person: UUID, _ delivered: Int64?, _ read: Int64?) -> ReceiptAdvance {
    ReceiptAdvance(person: person, deliveredSeq: delivered, readSeq: read)
}

@Suite struct ConversationDeciderTests {
    @Test func `a member sends, and everyone else is a recipient`() {
        Given<ConversationDecider>(group()).when(send(from: grace)).then(sent(from: grace, seq: 1, recipients: 2))
    }

    @Test func `messages are numbered without holes, and group events take no number`() {
        Given<ConversationDecider>(group(), sent(from: ada, seq: 1, recipients: 2), added(bender, headSeq: 1))
            .when(send(from: alan)).then(sent(from: alan, seq: 2, recipients: 3))
    }

    @Test func `a stranger learns nothing`() {
        Given<ConversationDecider>(group()).when(send(from: bender)).thenRejected(.notFound)
    }

    @Test func `a former member is told so`() {
        Given<ConversationDecider>(group(), removed(grace)).when(send(from: grace)).thenRejected(.noLongerAMember)
    }

    @Test func `nobody sends into what was never started`() {
        Given<ConversationDecider>().when(send(from: ada)).thenRejected(.notFound)
    }

    @Test func `starting a direct conversation twice starts it once`() {
        let start = ConversationCommand.startDirect(StartDirect(starter: grace, other: ada))
        Given<ConversationDecider>(direct).when(start).thenNothing()
    }

    @Test func `nobody talks with themselves`() {
        Given<ConversationDecider>().when(.startDirect(StartDirect(starter: ada, other: ada)))
            .thenRejected(.withOneself)
    }

    @Test(arguments: [[], [grace], [grace, grace], [ada, grace], [ada, ada]])
    func `a group needs two others`(_ participants: [UUID]) {
        Given<ConversationDecider>().when(.startGroup(startGroup(participants))).thenRejected(.tooFewParticipants)
    }

    @Test func `a group's owner and doubles count once`() {
        Given<ConversationDecider>().when(.startGroup(startGroup([grace, ada, alan, grace]))).then(group())
    }

    @Test func `a group's id cannot be taken twice`() {
        Given<ConversationDecider>(direct).when(.startGroup(startGroup([grace, alan]))).thenRejected(.idTaken)
    }

    @Test func `a full group takes nobody`() {
        Given<ConversationDecider>(group()).when(put(bender, by: ada, limit: 3)).thenRejected(.groupFull(limit: 3))
    }

    @Test func `owners and admins add people, members do not`() {
        Given<ConversationDecider>(group()).when(put(bender, by: ada)).then(added(bender))
        Given<ConversationDecider>(group()).when(put(bender, by: grace)).thenRejected(.roleTooLow)
    }

    @Test func `adding a member again changes nothing`() {
        Given<ConversationDecider>(group()).when(put(grace, by: ada)).thenNothing()
    }

    @Test func `a removed person can be added again, at the head`() {
        Given<ConversationDecider>(group(), sent(from: ada, seq: 1, recipients: 2), removed(grace, headSeq: 1))
            .when(put(grace, by: ada)).then(added(grace, headSeq: 1))
    }

    @Test func `an admin neither makes nor removes owners`() {
        let history = group([(ada, .owner), (grace, .admin), (alan, .member)])
        Given<ConversationDecider>(history).when(put(alan, by: grace, as: .owner)).thenRejected(.roleTooLow)
        Given<ConversationDecider>(history).when(put(ada, by: grace, as: .member)).thenRejected(.roleTooLow)
        Given<ConversationDecider>(history)
            .when(.removeParticipant(RemoveParticipant(actor: grace, person: ada))).thenRejected(.roleTooLow)
    }

    @Test func `when the last owner leaves, the longest-standing admin takes over`() {
        Given<ConversationDecider>(group([(ada, .owner), (grace, .member), (alan, .admin)]))
            .when(.leave(person: ada))
            .then(.roleChanged(RoleChanged(person: alan, role: .owner)), left(ada))
    }

    @Test func `of several admins the one who came first takes over, and of members where there is none`() {
        func role(_ person: UUID, _ role: Role) -> ConversationEvent {
            .roleChanged(RoleChanged(person: person, role: role))
        }
        let history = [group([(ada, .owner)]), added(bender), added(alan), added(grace)]
        Given<ConversationDecider>(history).when(.leave(person: ada)).then(role(bender, .owner), left(ada))
        // By when they came, not by when they became admins.
        Given<ConversationDecider>(history + [role(grace, .admin), role(alan, .admin)])
            .when(.leave(person: ada)).then(role(alan, .owner), left(ada))
        // Who comes back begins anew.
        Given<ConversationDecider>(history + [left(bender), added(bender)])
            .when(.leave(person: ada)).then(role(alan, .owner), left(ada))
        Given<ConversationDecider>(history + [role(grace, .owner)]).when(.leave(person: ada)).then(left(ada))
        Given<ConversationDecider>(group([(ada, .owner)])).when(.leave(person: ada)).then(left(ada))
    }

    @Test func `nobody leaves a direct conversation or is added to it`() {
        Given<ConversationDecider>(direct).when(.leave(person: ada)).thenRejected(.directIsFixed)
        Given<ConversationDecider>(direct).when(put(alan, by: ada)).thenRejected(.directIsFixed)
    }

    @Test func `who is no longer a member cannot leave`() {
        Given<ConversationDecider>(group(), removed(grace)).when(.leave(person: grace))
            .thenRejected(.noLongerAMember)
    }

    @Test func `a message from before one's joining is answered only where it may be seen`() {
        func reply(_ seq: Int64) -> ConversationCommand {
            let replyTo = MessageReference(id: person(50), seq: seq)
            return .send(
                SendMessage(
                    messageID: person(99),
                    sender: bender,
                    text: "what?",
                    replyTo: replyTo,
                    mentions: [],
                    clientTimestamp: nil
                )
            )
        }
        let history = [group(), sent(from: ada, seq: 1, recipients: 2), added(bender, headSeq: 1)]
        let joined = ConversationEvent.groupChanged(GroupChanged(historyVisibility: .joined))
        Given<ConversationDecider>(history + [joined]).when(reply(1)).thenRejected(.messageNotVisible)
        for (events, seq) in [(history, Int64(1)), (history + [joined, sent(from: ada, seq: 2, recipients: 3)], 2)] {
            guard case .events(let followed) = Given<ConversationDecider>(events).when(reply(seq)) else {
                Issue.record("the reply was refused")
                continue
            }
            #expect(followed.count == 1)
        }
    }

    @Test func `anyone joins an open group, and a closed one shows itself to nobody`() {
        let join = ConversationCommand.join(Join(person: bender, maxMembers: 10))
        Given<ConversationDecider>(group(joinPolicy: .open)).when(join).then(added(bender))
        Given<ConversationDecider>(group()).when(join).thenRejected(.notFound)
        Given<ConversationDecider>(group(), added(bender), removed(bender)).when(join).thenRejected(.notOpen)
        let open = group(joinPolicy: .open)
        Given<ConversationDecider>(open, added(bender), removed(bender)).when(join).then(added(bender))
        Given<ConversationDecider>(direct).when(join).thenRejected(.notFound)
    }

    @Test func `marks go only forward, never past the head, and reading implies delivery`() {
        let history = [group(), sent(from: ada, seq: 1, recipients: 2), sent(from: ada, seq: 2, recipients: 2)]
        Given<ConversationDecider>(history).when(.advanceReceipts([advance(grace, nil, 2)])).then(advanced(grace, 2, 2))
        Given<ConversationDecider>(history).when(.advanceReceipts([advance(grace, 9, 1)])).then(advanced(grace, 2, 1))
        Given<ConversationDecider>(history + [advanced(grace, 2, 2)])
            .when(.advanceReceipts([advance(grace, 1, 1)])).thenNothing()
        Given<ConversationDecider>(history).when(.advanceReceipts([advance(grace, -5, .min)])).thenNothing()
    }

    @Test func `what is read in private moves the own mark alone, until more is read in public`() {
        func read(_ seq: Int64, isPrivate: Bool) -> ConversationCommand {
            .advanceReceipts([ReceiptAdvance(person: grace, deliveredSeq: nil, readSeq: seq, isPrivate: isPrivate)])
        }
        func mark(_ read: Int64, _ shown: Int64?) -> ConversationEvent {
            let mark = ReceiptsAdvanced.Mark(person: grace, deliveredSeq: read, readSeq: read, publicReadSeq: shown)
            return .receiptsAdvanced(ReceiptsAdvanced(marks: [mark]))
        }
        let history = [group()] + (1...3).map { sent(from: ada, seq: $0, recipients: 2) }
        Given<ConversationDecider>(history).when(read(2, isPrivate: true)).then(mark(2, 0))
        let inPrivate = history + [mark(2, 0)]
        Given<ConversationDecider>(inPrivate).when(read(2, isPrivate: true)).thenNothing()
        Given<ConversationDecider>(inPrivate).when(read(2, isPrivate: false)).then(mark(2, nil))
        Given<ConversationDecider>(inPrivate).when(read(3, isPrivate: false)).then(mark(3, nil))
        Given<ConversationDecider>(inPrivate + [mark(2, nil)]).when(read(3, isPrivate: true)).then(mark(3, 2))
    }

    @Test func `many advances are one event, and strangers among them are left out`() {
        let history = [group(), sent(from: ada, seq: 1, recipients: 2)]
        let advances = [advance(grace, 1, nil), advance(bender, 1, 1), advance(alan, 1, 1), advance(grace, 1, 1)]
        let marks: [ReceiptsAdvanced.Mark] = [
            .init(person: grace, deliveredSeq: 1, readSeq: 1), .init(person: alan, deliveredSeq: 1, readSeq: 1),
        ]
        Given<ConversationDecider>(history).when(.advanceReceipts(advances))
            .then(.receiptsAdvanced(ReceiptsAdvanced(marks: marks)))
    }

    @Test func `joining puts both marks at the head`() {
        var conversation = ConversationDecider.initialState
        for event in [group(), sent(from: ada, seq: 1, recipients: 2), added(bender, headSeq: 1)] {
            ConversationDecider.evolve(&conversation, event)
        }
        #expect(conversation.members[bender]?.readSeq == 1)
        #expect(conversation.members[bender]?.deliveredSeq == 1)
    }

    private func startGroup(_ participants: [UUID]) -> StartGroup {
        StartGroup(
            owner: ada,
            participants: participants,
            name: "Friends",
            icon: nil,
            joinPolicy: .invite,
            historyVisibility: .all,
            maxMembers: 10
        )
    }
}
