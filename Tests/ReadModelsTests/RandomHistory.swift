import EventSourcing
import Foundation
import Messaging

/// A random but possible history of a few people in a few conversations, the same for the same seed.
struct RandomHistory {
    private(set) var log: TestLog
    private(set) var registered: [UUID] = []
    private(set) var erased: Set<UUID> = []
    var random: SeededGenerator
    let people: [UUID]
    private var conversations: [UUID: Conversation] = [:]
    /// What was sent, by conversation and in order.
    var messages: [UUID: [MessageFacts]] = [:]
    var reactions: [UUID: [UUID: Set<Reaction>]] = [:]

    struct Reaction: Hashable {
        let person: UUID
        let emoji: Emoji
    }

    /// - Parameter sends: in so many of a hundred steps somebody sends something, whatever happens in the others.
    init(seed: UInt64, steps: Int = 250, sends: Int = 0) {
        var random = SeededGenerator(seed: seed)
        log = TestLog(partitions: 3)
        people = (0..<6).map { _ in random.id() }
        self.random = random
        for person in people.dropLast() { register(person) }
        for _ in 0..<steps {
            if sends > 0, self.random.below(100) < sends { send() } else { step() }
        }
    }

    var everyone: [UUID] { people }
    /// Those that have begun.
    var everyConversation: [UUID] { conversations.filter { $0.value.exists }.keys.sorted() }

    private mutating func register(_ person: UUID) {
        log.record(
            UserEvent.registered(displayName: "Person \(registered.count)"),
            on: person,
            by: person,
            command: random.id()
        )
        registered.append(person)
    }

    private mutating func step() {
        switch random.below(119) {
        case 0..<4: startGroup()
        case 4..<6: startDirect()
        case 6..<10: changeProfile()
        case 10..<34: send()
        case 34..<42: edit()
        case 42..<44: delete()
        case 44..<50: react()
        case 50..<68: receive()
        case 68..<74: receiveLate()
        case 74..<84: join()
        case 84..<94: leave()
        case 94..<97: changeRole()
        case 97: erase()
        case 98: changeView()
        case 99: changeView()
        case 100..<102: markUnread()
        case 102: changeViewLate()
        case 103: changePermissions()
        case 104..<106: pin()
        case 106..<108: block()
        case 108..<110: invite()
        case 110: changeRetention()
        case 111..<115: expire()
        case 115..<119: hide()
        default: rename()
        }
    }

    private mutating func startGroup() {
        guard everyConversation.count < 4 else { return }
        let members = people.filter { !erased.contains($0) }.shuffled(using: &random).prefix(3 + random.below(3))
        guard members.count >= 3 else { return }
        decide(
            .startGroup(
                StartGroup(
                    owner: members[members.startIndex],
                    participants: Array(members.dropFirst()),
                    name: "Group \(conversations.count)",
                    icon: random.below(2) == 0 ? "icon" : nil,
                    joinPolicy: .open,
                    historyVisibility: random.below(2) == 0 ? .all : .joined,
                    maxMembers: 100
                )
            ),
            on: random.id(),
            by: members[members.startIndex]
        )
    }

    private mutating func startDirect() {
        let pair = people.filter { !erased.contains($0) }.shuffled(using: &random)
        guard pair.count >= 2 else { return }
        decide(
            .startDirect(StartDirect(starter: pair[0], other: pair[1])),
            on: DerivedID.directConversation(pair[0], pair[1]),
            by: pair[0]
        )
    }

    private mutating func changeProfile() {
        let living = registered.filter { !erased.contains($0) }
        guard let person = living.randomElement(using: &random) else { return }
        if random.below(4) == 0 {
            let event = random.below(2) == 0 ? UserEvent.deactivated : .reactivated
            log.record(event, on: person, by: person, command: random.id())
        }
        let change = ProfileChange(
            displayName: random.below(2) == 0 ? "Renamed \(random.below(1_000))" : nil,
            photoURL: [.unchanged, .cleared, .set("photo")][random.below(3)],
            readReceipts: [nil, true, false][random.below(3)],
            timeZone: [.unchanged, .cleared, .set("Europe/Paris")][random.below(3)],
            locale: .unchanged
        )
        log.record(UserEvent.profileChanged(change), on: person, by: person, command: random.id())
    }

    private mutating func send() {
        guard let (id, conversation) = pick(), let sender = member(of: conversation) else { return }
        let mentioned = people.shuffled(using: &random).prefix(random.below(3))
        decide(
            .send(
                SendMessage(
                    messageID: random.id(),
                    sender: sender,
                    text: "Text \(random.below(1_000))",
                    replyTo: nil,
                    mentions: Array(mentioned),
                    mentionsAll: random.below(5) == 0,
                    clientTimestamp: nil,
                    hops: Int(conversation.headSeq % 3),
                    now: log.now,
                    attachments: random.below(4) == 0 ? [file()] : []
                )
            ),
            on: id,
            by: sender
        )
    }

    private mutating func file() -> AttachedFile {
        AttachedFile(
            id: random.id(),
            kind: .file,
            contentType: "text/plain",
            bytes: Int64(random.below(10_000)),
            name: "File \(random.below(1_000)).txt"
        )
    }

    private mutating func receive() {
        guard let (id, conversation) = pick() else { return }
        let advances = people.shuffled(using: &random).prefix(1 + random.below(3)).map { person in
            ReceiptAdvance(
                person: person,
                deliveredSeq: Int64(random.below(Int(conversation.headSeq) + 2)),
                readSeq: random.below(2) == 0 ? Int64(random.below(Int(conversation.headSeq) + 1)) : nil,
                isPrivate: random.below(3) == 0
            )
        }
        decide(.advanceReceipts(advances), on: id, by: advances[0].person)
    }

    /// What another process decided on an older state: redundant, or about people who have left.
    private mutating func receiveLate() {
        guard let (id, conversation) = pick(), conversation.headSeq > 0 else { return }
        let marks = people.shuffled(using: &random).prefix(2).map { person in
            let delivered = Int64(random.below(Int(conversation.headSeq) + 1))
            let read = Int64(random.below(Int(delivered) + 1))
            return ReceiptsAdvanced.Mark(
                person: person,
                deliveredSeq: delivered,
                readSeq: read,
                publicReadSeq: random.below(3) == 0 ? Int64(random.below(Int(read) + 1)) : nil
            )
        }
        record(.receiptsAdvanced(ReceiptsAdvanced(marks: marks)), on: id, by: marks[0].person, command: random.id())
    }

    private mutating func join() {
        guard let (id, _) = pick(), let person = people.randomElement(using: &random), !erased.contains(person)
        else { return }
        decide(.join(Join(person: person, maxMembers: 100)), on: id, by: person)
    }

    private mutating func leave() {
        guard let (id, conversation) = pick(), conversation.members.count > 1, let person = member(of: conversation)
        else { return }
        decide(.leave(person: person), on: id, by: person)
    }

    private mutating func changeRole() {
        guard let (id, conversation) = pick(), let person = member(of: conversation) else { return }
        let owner = conversation.members.all.filter { $0.member.role == .owner }.map(\.person).min() ?? person
        let role = [Role.owner, .admin, .member][random.below(3)]
        decide(
            .putParticipant(PutParticipant(actor: owner, person: person, role: role, maxMembers: 100)),
            on: id,
            by: owner
        )
    }

    private mutating func rename() {
        guard let (id, conversation) = pick(), let person = member(of: conversation) else { return }
        decide(
            .changeGroup(
                ChangeGroup(
                    actor: person,
                    name: random.below(2) == 0 ? "Renamed \(random.below(1_000))" : nil,
                    icon: [.unchanged, .cleared, .set("icon \(random.below(9))")][random.below(3)],
                    joinPolicy: [nil, .open][random.below(2)],
                    historyVisibility: [nil, .all, .joined][random.below(3)]
                )
            ),
            on: id,
            by: person
        )
    }

    /// At most two of the people, so that something goes on.
    private mutating func erase() {
        guard erased.count < 2, let person = registered.randomElement(using: &random),
            erased.insert(person).inserted
        else { return }
        log.record(UserEvent.erased, on: person, by: person, command: random.id())
        for id in conversations.keys.sorted() { decide(.eraseMember(person), on: id, by: person) }
    }

    // MARK: Deciding

    mutating func pick() -> (UUID, Conversation)? {
        guard let id = everyConversation.randomElement(using: &random) else { return nil }
        return conversations[id].map { (id, $0) }
    }

    mutating func member(of conversation: Conversation) -> UUID? {
        conversation.members.people.sorted().randomElement(using: &random)
    }

    /// What is not allowed does not happen.
    mutating func decide(_ command: ConversationCommand, on id: UUID, by actor: UUID?) {
        let state = conversations[id] ?? ConversationDecider.initialState
        guard let events = try? ConversationDecider.decide(command, given: state) else { return }
        for event in events {
            var command = random.id()
            if case .messageSent(let sent) = event { command = sent.messageID }
            record(event, on: id, by: actor, command: command)
        }
    }

    mutating func record(_ event: ConversationEvent, on id: UUID, by actor: UUID?, command: UUID) {
        var state = conversations[id] ?? ConversationDecider.initialState
        ConversationDecider.evolve(&state, event)
        conversations[id] = state
        log.record(event, on: id, by: actor, command: command)
        remember(event, on: id)
    }

    /// What commands about messages look up.
    private mutating func remember(_ event: ConversationEvent, on id: UUID) {
        func change(_ message: UUID, _ body: (inout MessageFacts) -> Void) {
            guard let index = messages[id]?.firstIndex(where: { $0.id == message }) else { return }
            if var facts = messages[id]?[index] {
                body(&facts)
                messages[id]?[index] = facts
            }
        }
        let version = conversations[id]?.version ?? 0
        switch event {
        case .messageSent(let sent):
            messages[id, default: []].append(
                MessageFacts(
                    id: sent.messageID,
                    seq: sent.seq,
                    sender: sent.sender,
                    sentAt: Date(timeIntervalSince1970: 0),
                    expiresAt: sent.expiry(sentAt: Date(timeIntervalSince1970: 0)),
                    version: version
                )
            )
        case .messageDeleted(let deleted):
            change(deleted.messageID) { $0.isDeleted = true }
        case .reactionAdded(let reaction):
            change(reaction.messageID) { $0.reactions = reaction.counts }
            reactions[id, default: [:]][reaction.messageID, default: []]
                .insert(Reaction(person: reaction.person, emoji: reaction.emoji))
        case .reactionRemoved(let reaction):
            change(reaction.messageID) { $0.reactions = reaction.counts }
            reactions[id]?[reaction.messageID]?.remove(Reaction(person: reaction.person, emoji: reaction.emoji))
        case .started, .participantAdded, .participantRemoved, .roleChanged, .groupChanged, .memberErased,
            .receiptsAdvanced, .messageEdited, .viewChanged, .markedUnread, .messageHidden, .permissionsChanged,
            .inviteCreated,
            .inviteUsed, .invitesEnded, .messagePinned, .messageUnpinned, .blockChanged, .retentionChanged,
            .slowModeChanged:
            break
        }
    }
}
