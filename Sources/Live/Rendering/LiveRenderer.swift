import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import ReadModels
import Synchronization

/// Makes of each announcement what the open streams get of it, each version encoded once.
///
/// A message is told from its event, at once. What shows how things are now is read from the read models, once they have
/// come as far as the event. Nothing is rendered that nobody is there to get.
///
/// A renderer serves one epoch of the log, and what it remembers goes with it.
final class LiveRenderer: Sendable {
    /// Who of an audience has an open stream.
    typealias Connected = @Sendable (Audience) -> Set<UUID>

    private let queries: Queries
    private let reader: FactReader
    private let connected: Connected
    private let checkpoints: Checkpoints
    private let feed: Feed
    private let log: LogIdentity
    let epoch: Epoch
    private let names = PersonNames()
    private let reading = SharedReadingMemory()
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
        reader = FactReader(queries: queries)
        self.checkpoints = checkpoints
        self.feed = feed
        self.log = log
        self.epoch = epoch
        self.connected = connected
    }

    /// Waits for a partition whose read models stand still. Cursors name all partitions: one that went beyond what is
    /// projected would keep everybody from coming back, and not only those whom the partition concerns.
    func waitWhileStopped(_ partition: Int, _ position: Int64) async throws {
        if checkpoints.isStopped(partition) { try await projected(partition, position) }
    }

    func item(for announcement: Announcement) async throws -> HubItem {
        var facts = Facts()
        if case .userUpdated(let person) = announcement.news {
            try await readContacts(of: person, announcement, into: &facts)
        }
        var item = HubItem(announcement)
        item.audience = announcement.audience(given: facts)
        let viewers = viewers(of: announcement, in: item.audience)
        guard !viewers.isEmpty else { return item }
        switch announcement.news {
        case .messageCreated(let sent, let time):
            try await addMessage(sent, at: time, of: announcement, to: &facts)
        case .receiptsUpdated(let advanced, _):
            facts.authors[announcement.position] = rememberedAuthors(of: advanced, announcement)
        case .messageUpdated(let seq), .messageDeleted(let seq), .messageHidden(let seq),
            .reactionsUpdated(to: let seq):
            try await addChangedMessage(seq, of: announcement, for: viewers, to: &facts)
        case .conversationCreated, .conversationUpdated, .conversationRemoved, .participantAdded, .participantUpdated,
            .participantRemoved, .userUpdated, .viewUpdated, .blockUpdated:
            break
        }
        try await reader.read(for: [announcement], to: viewers, into: &facts) {
            try await projected(announcement.partition, announcement.position)
        }
        let authors = (facts.authors[announcement.position] ?? []).compactMap { $0 }
        if !authors.isEmpty {
            let people = authors.reduce(into: Set<UUID>()) { $0.formUnion($1.delivered.union($1.read)) }
            facts.withoutReading = try await reading.without(among: people) { some in
                try await queries.peopleWithoutReading(among: some)
            }
        }
        if let message = facts.systemMessages[announcement.position] {
            facts.names[message.senderId] = try await summary(of: message.senderId.uuid)
        }
        item.audience = announcement.audience(given: facts)
        item.quoted = facts.quoted
        item.blocks = blocks(announcement, for: viewers, given: facts)
        try await withholdFromLeavers(announcement, &item)
        return item
    }

    /// Who has left since the event is not for what came after that, and reads from the log what was for this person. Looked
    /// for last: what was read before is no newer.
    private func withholdFromLeavers(_ announcement: Announcement, _ item: inout HubItem) async throws {
        guard let conversation = announcement.conversation, announcement.isReadAsOfNow else { return }
        for person in try await queries.leavers(of: conversation, after: announcement.position) {
            item.blocks.byPerson.updateValue(nil, forKey: person)
        }
    }

    /// The announcement without what it says: those concerned who are connected read that from the log.
    func itemToReadFromLog(_ announcement: Announcement) -> HubItem {
        var item = HubItem(announcement)
        // Whom a person's change concerns could not be found out.
        if announcement.conversation == nil { item.audience = .everybody }
        return item
    }

    private func viewers(of announcement: Announcement, in audience: Audience) -> Set<UUID> {
        let viewers = connected(audience)
        guard case .joined(_, let newcomers, _) = announcement.membership else { return viewers }
        return viewers.union(connected(.people(Set(newcomers))))
    }

    /// Waits until the read models show an event. The pipeline of the partition waits with it, so that the streams' ids
    /// stay true.
    ///
    /// - Throws: `EpochEnded` where that may never be, because the log has lost it.
    private func projected(_ partition: Int, _ position: Int64) async throws {
        let generation = epoch.generation
        while try await !checkpoints.wait(for: [partition: position], timeout: .seconds(60), in: generation) {
            try Task.checkCancellation()
        }
    }

    private func blocks(
        _ announcement: Announcement,
        for viewers: Set<UUID>,
        given facts: Facts
    ) -> HubItem.Blocks {
        let versions = announcement.versions(for: viewers, given: facts)
        func block(_ version: Announcement.Version) -> EventBlock? {
            EventBlock(inOrder: announcement.events(version, given: facts))
        }
        var blocks = HubItem.Blocks()
        blocks.deferrable = versions.deferrable
        if let common = versions.common, viewers.contains(where: { versions.byPerson[$0] == nil }) {
            blocks.others = block(common)
        }
        var encoded: [Announcement.Version: EventBlock] = [:]
        for (person, version) in versions.byPerson where viewers.contains(person) && encoded[version] == nil {
            encoded[version] = block(version)
        }
        // Those whose version nobody is there to get read the log, should they come meanwhile.
        for (person, version) in versions.byPerson { blocks.byPerson.updateValue(encoded[version], forKey: person) }
        return blocks
    }

    // MARK: Facts of what happens now

    /// A message from its event; only what it answers is read.
    private func addMessage(
        _ sent: MessageSent,
        at time: Date,
        of announcement: Announcement,
        to facts: inout Facts
    ) async throws {
        guard let conversation = announcement.conversation else { return }
        var quote: ReplyTo?
        var hiddenFrom: Set<UUID> = []
        if let reference = sent.replyTo {
            try await projected(announcement.partition, announcement.position - 1)
            quote = try await queries.quotes([reference.seq], in: conversation)[reference.seq]
            if let quote { facts.names[quote.senderId] = try await summary(of: quote.senderId.uuid) }
            hiddenFrom = try await membersWithout(reference.seq, in: conversation)
        }
        facts.names[WireID(sent.sender)] = try await summary(of: sent.sender)
        facts.messages[announcement.position] = Facts.SentMessage(
            message: Message(sent, at: time, position: announcement.position, in: conversation, replyTo: quote),
            quoteHiddenFrom: hiddenFrom
        )
    }

    /// A message that has changed, as it is now.
    private func addChangedMessage(
        _ seq: Int64,
        of announcement: Announcement,
        for viewers: Set<UUID>,
        to facts: inout Facts
    ) async throws {
        guard let conversation = announcement.conversation else { return }
        try await projected(announcement.partition, announcement.position)
        guard let message = try await queries.message(seq, in: conversation) else { return }
        var changed = Facts.SentMessage(message: message)
        (changed.hiddenFrom, changed.hiders) = try await queries.membersWithout(seq, in: conversation)
        if let quoted = message.replyTo {
            changed.quoteHiddenFrom = try await membersWithout(quoted.seq, in: conversation)
            facts.names[quoted.senderId] = try await summary(of: quoted.senderId.uuid)
        }
        try await addReactions(to: &changed, seq, in: conversation, by: viewers)
        facts.names[message.senderId] = try await summary(of: message.senderId.uuid)
        facts.messages[announcement.position] = changed
    }

    /// What each has given a message: everybody whom it names, as it says itself, for streams may open until it is told; of the
    /// others those who are there. A second look may see others.
    private func addReactions(
        to changed: inout Facts.SentMessage,
        _ seq: Int64,
        in conversation: UUID,
        by viewers: Set<UUID>
    ) async throws {
        for reaction in changed.message.reactions {
            for person in reaction.userIds { changed.reactions[person.uuid, default: []].insert(reaction.emoji) }
        }
        let many = Set(changed.message.reactions.filter { $0.count > $0.userIds.count }.map(\.emoji))
        guard !many.isEmpty else { return }
        changed.hasUnnamedReactions = true
        for (person, emoji) in try await queries.reactions(to: seq, in: conversation, by: viewers) {
            changed.reactions[person, default: []].formUnion(emoji.intersection(many))
        }
    }

    private func membersWithout(_ seq: Int64, in conversation: UUID) async throws -> Set<UUID> {
        let (joinedLater, hiders) = try await queries.membersWithout(seq, in: conversation)
        return joinedLater.union(hiders.keys)
    }

    private func summary(of person: UUID) async throws -> UserSummary? {
        try await names.summary(of: person) {
            if let found = try await queries.summaries(of: [person])[WireID(person)] { return found }
            // Somebody quite new: the registration is in another partition, which may lag a little.
            let partition = log.partition(of: person)
            _ = try await checkpoints.wait(for: [partition: feed.head(of: partition)], timeout: .seconds(1))
            return try await queries.summaries(of: [person])[WireID(person)]
        }
    }

    private func rememberedAuthors(of advanced: ReceiptsAdvanced, _ announcement: Announcement) -> [CoveredAuthors?] {
        guard let conversation = announcement.conversation else { return advanced.marks.map { _ in nil } }
        return tails.withLock { tails in
            advanced.marks.map { tails.authors(coveredBy: $0, in: conversation) }
        }
    }

    /// Whose streams a person's change concerns; also conversations that the person has left name the person still.
    private func readContacts(of person: UUID, _ announcement: Announcement, into facts: inout Facts) async throws {
        names.changed(person)
        reading.changed(person)
        try await projected(announcement.partition, announcement.position)
        // Once more: what was read meanwhile may be older.
        names.changed(person)
        reading.changed(person)
        facts.conversationsNaming[person] = Set(try await queries.opening(for: person).spans.map(\.conversation))
    }

    // MARK: Memory

    /// Remembers what was passed on; rendering alone must change nothing, since it may be repeated.
    func passed(_ announcement: Announcement) {
        guard let conversation = announcement.conversation, !connected(.members(of: conversation)).isEmpty else {
            return
        }
        tails.withLock { $0.note(announcement) }
    }
}
