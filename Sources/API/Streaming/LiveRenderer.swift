import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import ReadModels
import Synchronization

/// Makes of each event of the log what the open streams get of it.
///
/// A message is told from its event, at once. What shows how things are now is read from the read models, once they have
/// come as far as the event. Nothing is rendered that nobody is there to get.
///
/// A renderer serves one epoch of the log, and what it remembers goes with it.
final class LiveRenderer: Sendable {
    /// Who of an audience has an open stream.
    typealias Connected = @Sendable (Audience) -> Set<UUID>

    let queries: Queries
    let connected: Connected
    let epoch: Epoch
    private let checkpoints: Checkpoints
    private let feed: Feed
    private let log: LogIdentity
    private let names = PersonNames()
    private let tails = Mutex(ReceiptTails())

    init(
        queries: Queries,
        checkpoints: Checkpoints,
        feed: Feed,
        log: LogIdentity,
        epoch: Epoch,
        connected: @escaping Connected
    ) {
        self.queries = queries
        self.checkpoints = checkpoints
        self.feed = feed
        self.log = log
        self.epoch = epoch
        self.connected = connected
    }

    func item(for record: RecordedEvent) async throws -> HubItem {
        switch record.body {
        case .event(let event as ConversationEvent): try await item(for: event, record)
        case .event(let event as UserEvent): try await item(for: event, record)
        case .event, .undecodable, .unknown: HubItem(partition: record.partition, position: record.position)
        }
    }

    private func item(for event: ConversationEvent, _ record: RecordedEvent) async throws -> HubItem {
        switch event {
        case .started(let started): try await item(for: started, record)
        case .participantAdded(let added): try await item(for: added, record)
        case .participantRemoved(let removed): try await item(for: removed, record)
        case .roleChanged(let changed): try await item(for: changed, record)
        case .groupChanged: try await groupChanged(record)
        case .messageSent(let sent): try await item(for: sent, record)
        case .memberErased(let erased): try await item(for: erased, record)
        case .receiptsAdvanced(let advanced): try await item(for: advanced, record)
        }
    }

    /// Waits until the read models show an event. The pipeline of the partition waits with it, so that the streams' ids
    /// stay true.
    ///
    /// - Throws: `EpochEnded` where that may never be, because the log has lost it.
    func projected(_ partition: Int, _ position: Int64) async throws {
        let generation = epoch.generation
        while try await !checkpoints.wait(for: [partition: position], timeout: .seconds(60), in: generation) {
            try Task.checkCancellation()
        }
    }

    // MARK: Messages

    private func item(for sent: MessageSent, _ record: RecordedEvent) async throws -> HubItem {
        let conversation = record.stream.id
        var item = HubItem(partition: record.partition, position: record.position)
        item.audience = .members(of: conversation)
        item.unread = .membersWithout(sent.sender, of: conversation)
        let members = connected(item.audience)
        guard !members.isEmpty else { return item }
        let reply = try await reply(of: sent, record)
        let sender = try await summary(of: sent.sender)
        item.quoted = [sent.sender]
        if let quote = reply.quote { item.quoted.insert(quote.senderId.uuid) }
        func block(_ reply: ReplyTo?, isOwn: Bool) throws -> EventBlock {
            var message = Message(sent, at: record.recordedAt, in: conversation, replyTo: reply)
            // The streams may know already of an erasure that the conversation is still to hear of.
            if sender.erased == true { message.text = nil }
            return try EventBlock(
                .messageCreated(
                    StreamEvent.MessageCreated(
                        conversationId: WireID(conversation),
                        message: isOwn ? message : message.asOthersSeeIt,
                        sender: sender
                    )
                )
            )
        }
        let hasSender = members.contains(sent.sender)
        item.blocks.byPerson.updateValue(hasSender ? try block(reply.quote, isOwn: true) : nil, forKey: sent.sender)
        if members.count > (hasSender ? 1 : 0) {
            item.blocks.others = try block(reply.quote, isOwn: false)
            for person in reply.hiddenFrom where person != sent.sender {
                item.blocks.byPerson.updateValue(try block(reply.quote?.withoutText, isOwn: false), forKey: person)
            }
        }
        return item
    }

    private func summary(of person: UUID) async throws -> UserSummary {
        let known = try await names.summary(of: person) {
            if let found = try await queries.summaries(of: [person])[WireID(person)] { return found }
            // Somebody quite new: the registration is in another partition, which may lag a little.
            let partition = log.partition(of: person)
            _ = try await checkpoints.wait(for: [partition: feed.head(of: partition)], timeout: .seconds(1))
            return try await queries.summaries(of: [person])[WireID(person)]
        }
        return known ?? UserSummary(displayName: nil, photoURL: nil)
    }

    /// The answered message, and who may not see its text.
    private func reply(
        of sent: MessageSent,
        _ record: RecordedEvent
    ) async throws -> (quote: ReplyTo?, hiddenFrom: Set<UUID>) {
        guard let reference = sent.replyTo else { return (nil, []) }
        try await projected(record.partition, record.position - 1)
        var quote = try await queries.quotes([reference.seq], in: record.stream.id)[reference.seq]
        if let author = quote?.senderId.uuid, try await summary(of: author).erased == true {
            quote = quote?.withoutText
        }
        return (quote, try await queries.members(whoMayNotSee: reference.seq, in: record.stream.id))
    }

    // MARK: Receipts

    private func item(for advanced: ReceiptsAdvanced, _ record: RecordedEvent) async throws -> HubItem {
        let conversation = record.stream.id
        var item = HubItem(partition: record.partition, position: record.position)
        item.audience = .members(of: conversation)
        item.unread = .people(advanced.marks.map(\.person), of: conversation)
        let members = connected(item.audience)
        guard !members.isEmpty else { return item }
        let marksByReceiver = try await receivers(of: advanced, record)
        item.audience = .someMembers(Set(marksByReceiver.keys), of: conversation)
        var blocks: [[Int]: EventBlock] = [:]
        for (person, places) in marksByReceiver {
            guard members.contains(person) else {
                item.blocks.byPerson.updateValue(nil, forKey: person)
                continue
            }
            // Of what one has read in private, nobody else gets the same.
            let isOwn = places.contains { advanced.marks[$0].person == person }
            let shared = isOwn ? nil : blocks[places]
            let block = try shared ?? EventBlock(.receiptUpdated(advanced.event(places, record, for: person)))
            if !isOwn { blocks[places] = block }
            item.blocks.byPerson[person] = block
        }
        return item
    }

    /// Who gets which of the marks: the readers' own devices, and the authors of what was newly covered.
    private func receivers(of advanced: ReceiptsAdvanced, _ record: RecordedEvent) async throws -> [UUID: [Int]] {
        let conversation = record.stream.id
        var authors = tails.withLock { tails in
            advanced.marks.map { tails.authors(coveredBy: $0, in: conversation) }
        }
        let unknown = authors.indices.filter { authors[$0] == nil }
        if !unknown.isEmpty {
            try await projected(record.partition, record.position)
            let marks = unknown.map { advanced.marks[$0].set(in: record) }
            for (place, found) in zip(unknown, try await queries.authors(coveredBy: marks)) { authors[place] = found }
        }
        var receivers: [UUID: [Int]] = [:]
        for (place, mark) in advanced.marks.enumerated() {
            for person in (authors[place] ?? []).union([mark.person]) { receivers[person, default: []].append(place) }
        }
        return receivers
    }

    // MARK: People

    private func item(for event: UserEvent, _ record: RecordedEvent) async throws -> HubItem {
        let person = record.stream.id
        var item = HubItem(partition: record.partition, position: record.position)
        switch event {
        case .registered, .profileChanged, .deactivated, .reactivated: names.changed(person)
        case .erased:
            names.changed(person)
            item.erased = person
        }
        try await projected(record.partition, record.position)
        // Once more: what was read meanwhile may be older.
        names.changed(person)
        // Conversations that the person has left name the person still.
        let conversations = try await queries.opening(for: person).spans.map(\.conversation)
        item.audience = .contacts(of: person, in: Set(conversations))
        guard !connected(item.audience).isEmpty else { return item }
        if let user = try await queries.user(person) {
            item.blocks.others = try EventBlock(.userUpdated(StreamEvent.UserUpdated(user: user)))
        }
        return item
    }

    // MARK: Memory

    /// Remembers an event that was passed on; rendering alone must change nothing, since it may be repeated.
    func passed(_ record: RecordedEvent) {
        let id = record.stream.id
        guard let event = record.conversationEvent, !connected(.members(of: id)).isEmpty else { return }
        tails.withLock { tails in
            switch event {
            case .started(let started):
                for member in started.members { tails.joined(member.id, at: 0, in: id) }
            case .participantAdded(let added): tails.joined(added.person, at: added.headSeq, in: id)
            case .participantRemoved(let removed): tails.left(removed.person, id)
            case .messageSent(let sent): tails.sent(sent.seq, by: sent.sender, in: id)
            case .receiptsAdvanced(let advanced):
                for mark in advanced.marks { tails.advance(mark, in: id) }
            case .roleChanged, .groupChanged, .memberErased: break
            }
        }
    }
}
