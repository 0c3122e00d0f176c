import CoreMetrics
import EventSourcing
import Foundation
import Messaging
import ParleyWire
import ReadModels

/// A page of a catch-up: events of the log and what one client is told of them.
final class CatchUpPage {
    private enum Entry {
        case event(ConversationEvent, RecordedEvent)
        case person(PersonChange)
    }

    let person: UUID
    private let queries: Queries
    private var entries: [Entry] = []
    private var spans: [UUID: [StreamOpening.Span]] = [:]
    private var partition = 0
    private var start = PositionVector([])
    /// How far the client will have come with this page.
    private(set) var cursor = PositionVector([])
    private(set) var told: [CatchUp.Told] = []
    /// The conversations of which something was told, on any page.
    private(set) var touched: Set<UUID> = []
    /// On all pages.
    private(set) var eventsRead = 0
    /// How people are called, for all pages.
    private var names: [WireID: UserSummary] = [:]

    init(person: UUID, queries: Queries) {
        self.person = person
        self.queries = queries
    }

    var count: Int { entries.count }

    /// - Parameter spans: the client's memberships in the conversations of this partition.
    func begin(at cursor: PositionVector, in partition: Int, _ spans: [StreamOpening.Span]) {
        start = cursor
        self.cursor = cursor
        self.partition = partition
        self.spans = Dictionary(grouping: spans, by: \.conversation)
        entries = []
        told = []
    }

    func add(_ change: PersonChange) {
        entries.append(.person(change))
        cursor.advance(partition, to: change.position)
    }

    /// Adds an event, where it concerns the client.
    func add(_ record: RecordedEvent) {
        cursor.advance(partition, to: record.position)
        eventsRead += 1
        StreamMetrics.caughtUp.increment()
        guard let event = record.conversationEvent, concerns(event, record) else { return }
        entries.append(.event(event, record))
    }

    private func concerns(_ event: ConversationEvent, _ record: RecordedEvent) -> Bool {
        let spans = spans[record.stream.id] ?? []
        let begins = spans.contains { $0.fromPosition == record.position }
        let ends = spans.contains { $0.toPosition == record.position }
        let isInside = spans.contains { $0.fromPosition < record.position && record.position < $0.toPosition ?? .max }
        return switch event {
        case .started: begins
        case .participantAdded: begins || isInside
        case .participantRemoved: ends || isInside
        case .roleChanged, .groupChanged, .messageSent, .memberErased, .receiptsAdvanced: isInside
        }
    }

    // MARK: Rendering

    /// What the entries look like now, read in sets.
    private struct Look {
        var messages: [UUID: [Int64: Message]] = [:]
        var conversations: [UUID: ParleyWire.Conversation] = [:]
        var participants: [UUID: [UUID: Participant]] = [:]
        var erased: [UUID: ParleyWire.User] = [:]
        /// Of each receipts event, by its position, the marks that concern the client.
        var marks: [Int64: [Int]] = [:]
    }

    func render() async throws {
        guard !entries.isEmpty else { return }
        let look = try await look()
        for entry in entries {
            switch entry {
            case .person(let change):
                tell(.userUpdated(StreamEvent.UserUpdated(user: change.user)), at: change.position)
            case .event(let event, let record):
                guard let next = self.event(event, record, look) else { continue }
                if case .memberErased(let erased) = event, let user = look.erased[erased.person] {
                    // Outside the order, just before: who is cut in between gets both again.
                    told.append(CatchUp.Told(event: .userUpdated(.init(user: user)), conversation: nil, vector: nil))
                }
                tell(next, of: record.stream.id, at: record.position)
            }
        }
    }

    private func tell(_ event: StreamEvent, of conversation: UUID? = nil, at position: Int64) {
        if let conversation { touched.insert(conversation) }
        let vector = start.advanced(partition, to: position)
        told.append(CatchUp.Told(event: event, conversation: conversation, vector: vector))
    }

    private func event(_ event: ConversationEvent, _ record: RecordedEvent, _ look: Look) -> StreamEvent? {
        let id = record.stream.id
        let conversation = look.conversations[id].map { StreamEvent.ConversationChanged(conversation: $0) }
        func change(_ person: UUID) -> StreamEvent.ParticipantChanged? {
            look.participants[id]?[person].map {
                StreamEvent.ParticipantChanged(conversationId: WireID(id), participant: $0)
            }
        }
        switch event {
        case .started:
            return conversation.map { .conversationCreated($0) }
        case .participantAdded(let added):
            if added.person == person { return conversation.map { .conversationCreated($0) } }
            return change(added.person).map { .participantAdded($0) }
        case .participantRemoved(let removed):
            guard removed.person == person else { return change(removed.person).map { .participantRemoved($0) } }
            return .conversationRemoved(StreamEvent.ConversationRemoved(conversationId: WireID(id)))
        case .roleChanged(let changed):
            if changed.person == person { return conversation.map { .conversationUpdated($0) } }
            return change(changed.person).map { .participantUpdated($0) }
        case .groupChanged, .memberErased:
            return conversation.map { .conversationUpdated($0) }
        case .messageSent(let sent):
            guard let message = look.messages[id]?[sent.seq] else { return nil }
            return .messageCreated(
                StreamEvent.MessageCreated(
                    conversationId: WireID(id),
                    message: message,
                    sender: names[message.senderId] ?? UserSummary(displayName: nil, photoURL: nil)
                )
            )
        case .receiptsAdvanced(let advanced):
            guard let places = look.marks[record.position], !places.isEmpty else { return nil }
            return .receiptUpdated(advanced.event(places, record, for: person))
        }
    }

    private func look() async throws -> Look {
        var look = Look()
        var wanted = Wanted()
        for case .event(let event, let record) in entries { wanted.add(event, record, for: person) }
        for (id, seqs) in wanted.messages {
            look.messages[id] = try await queries.messages(seqs, in: id, for: person)
        }
        look.conversations = try await queries.conversations(Array(wanted.conversations), for: person)
        for (id, people) in wanted.participants {
            look.participants[id] = try await queries.participants(Array(people), of: id)
        }
        look.erased = try await queries.users(Array(wanted.erased))
        let senders = Set(look.messages.values.flatMap { $0.values.flatMap(\.authors) }).filter { names[$0] == nil }
        if !senders.isEmpty {
            let found = try await queries.summaries(of: Set(senders.map(\.uuid)))
            names.merge(found) { _, new in new }
        }
        // A client that was told of an erasure sees no text any more, also where the conversation is still to hear of it.
        for (id, messages) in look.messages {
            look.messages[id] = messages.mapValues { $0.without(textsOf: { names[$0]?.erased == true }) }
        }
        look.marks = try await marks(wanted.receipts)
        return look
    }

    private func marks(_ events: [(ReceiptsAdvanced, RecordedEvent)]) async throws -> [Int64: [Int]] {
        let all = events.flatMap { event, record in event.marks.enumerated().map { ($0.offset, $0.element, record) } }
        let ofOthers = all.filter { $0.1.person != person }
        let authors = try await queries.authors(coveredBy: ofOthers.map { $0.1.set(in: $0.2) }, only: person)
        var marks: [Int64: [Int]] = [:]
        for (place, mark, record) in all where mark.person == person {
            marks[record.position, default: []].append(place)
        }
        for (authors, (place, _, record)) in zip(authors, ofOthers) where !authors.isEmpty {
            marks[record.position, default: []].append(place)
        }
        return marks
    }
}

/// What a page needs to know to be rendered.
private struct Wanted {
    var messages: [UUID: [Int64]] = [:]
    var conversations: Set<UUID> = []
    var participants: [UUID: Set<UUID>] = [:]
    var erased: Set<UUID> = []
    var receipts: [(ReceiptsAdvanced, RecordedEvent)] = []

    mutating func add(_ event: ConversationEvent, _ record: RecordedEvent, for person: UUID) {
        let id = record.stream.id
        switch event {
        case .started, .groupChanged: conversations.insert(id)
        case .memberErased(let gone):
            conversations.insert(id)
            erased.insert(gone.person)
        case .participantAdded(let added): add(added.person, id, for: person)
        case .participantRemoved(let removed): add(removed.person, id, for: person)
        case .roleChanged(let changed): add(changed.person, id, for: person)
        case .messageSent(let sent): messages[id, default: []].append(sent.seq)
        case .receiptsAdvanced(let advanced): receipts.append((advanced, record))
        }
    }

    private mutating func add(_ subject: UUID, _ conversation: UUID, for person: UUID) {
        if subject == person {
            conversations.insert(conversation)
        } else {
            participants[conversation, default: []].insert(subject)
        }
    }
}
