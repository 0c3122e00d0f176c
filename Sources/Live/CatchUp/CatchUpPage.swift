import CoreMetrics
import EventSourcing
import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels

/// A page of a catch-up: announcements of the log and what one client is told of them.
final class CatchUpPage {
    let person: UUID
    private let reader: FactReader
    private let passedOver: PassedOverEvents
    private var announcements: [Announcement] = []
    private var facts = Facts()
    private var spans: [UUID: [StreamOpening.Span]] = [:]
    private var partition = 0
    private var start = PositionVector([])
    /// How far the client will have come with this page.
    private(set) var cursor = PositionVector([])
    private(set) var events: [CatchUp.Event] = []
    /// The conversations of which something was told, on any page.
    private(set) var touched: Set<UUID> = []
    /// On all pages.
    private(set) var eventsRead = 0

    init(person: UUID, queries: Queries, passedOver: PassedOverEvents) {
        self.person = person
        self.passedOver = passedOver
        reader = FactReader(queries: queries, viewer: person)
    }

    /// About how many bytes of texts its events will have.
    private var bytes = 0

    private static let maxCount = 256
    /// An event by which nothing can be read is tried so often.
    private static let maxAttempts = 3
    /// What it answers to may be long, and is not known yet.
    private static let bytesPerReply = 4_096

    /// A page is held for as long as its client takes it.
    var isFull: Bool { announcements.count >= Self.maxCount || bytes >= CatchUpReader.bytesHeld }

    /// - Parameter spans: the client's memberships in the conversations of this partition.
    func begin(at cursor: PositionVector, in partition: Int, _ spans: [StreamOpening.Span]) {
        start = cursor
        self.cursor = cursor
        self.partition = partition
        self.spans = Dictionary(grouping: spans, by: \.conversation)
        announcements = []
        bytes = 0
        events = []
        forgetFacts()
    }

    /// How people are called is remembered for all pages.
    private func forgetFacts() {
        let names = facts.names
        facts = Facts()
        facts.names = names
    }

    func add(_ change: PersonChange) {
        announcements.append(Announcement(change))
        facts.users[change.user.id.uuid] = change.user
        cursor.advance(partition, to: change.position)
    }

    /// Adds an event, where it concerns the client.
    func add(_ record: RecordedEvent) {
        cursor.advance(partition, to: record.position)
        eventsRead += 1
        StreamMetrics.caughtUp.increment()
        guard let announcement = Announcement(of: record), concerns(announcement) else { return }
        announcements.append(announcement)
        bytes += record.size
        if case .messageCreated(let sent, _) = announcement.news, sent.replyTo != nil { bytes += Self.bytesPerReply }
    }

    /// As live, an event reaches those who are members before or after it.
    private func concerns(_ announcement: Announcement) -> Bool {
        guard let conversation = announcement.conversation else { return false }
        let position = announcement.position
        let spans = spans[conversation] ?? []
        let wasMember = spans.contains { $0.fromPosition < position && position <= $0.toPosition ?? .max }
        let isMember = spans.contains { $0.fromPosition <= position && position < $0.toPosition ?? .max }
        return announcement.audience.includes(person, memberOf: wasMember || isMember ? [conversation] : [])
    }

    /// Makes of the announcements what the client gets, as things are now.
    func render() async throws {
        guard !announcements.isEmpty else { return }
        dropSuperseded()
        try await readFacts()
        for announcement in announcements {
            let rendered = announcement.events(for: person, given: facts)
            guard let last = rendered.last else { continue }
            for preface in rendered.dropLast() { events.append(CatchUp.Event(preface: preface)) }
            if let conversation = announcement.conversation, announcement.touchesConversation {
                touched.insert(conversation)
            }
            events.append(
                CatchUp.Event(
                    event: last,
                    conversation: announcement.conversation,
                    vector: start.advanced(partition, to: announcement.position)
                )
            )
        }
    }

    /// Reads what the announcements take. One for which that can never be read is passed over, or its client would come back
    /// to it for ever, and get nothing else.
    private func readFacts() async throws {
        let changed = facts.users
        do {
            try await reader.read(for: announcements, to: [person], into: &facts)
        } catch  where Self.isOfTheEvent(error) {
            forgetFacts()
            facts.users = changed
            announcements = try await readable(announcements[...])
        }
    }

    /// Reads for some of the announcements, for each half of them where it cannot be done for all, and so on.
    ///
    /// - Returns: those for which it could be done.
    private func readable(_ some: ArraySlice<Announcement>) async throws -> [Announcement] {
        var attempts = 0
        while true {
            do {
                var read = facts
                try await reader.read(for: Array(some), to: [person], into: &read)
                facts = read
                return Array(some)
            } catch  where Self.isOfTheEvent(error) {
                attempts += 1
                guard some.count == 1, let only = some.first else {
                    let middle = some.startIndex + some.count / 2
                    let first = try await readable(some[..<middle])
                    return first + (try await readable(some[middle...]))
                }
                guard attempts >= Self.maxAttempts else { continue }
                passedOver.note(partition, only.position, for: error)
                if let conversation = only.conversation, only.touchesConversation { touched.insert(conversation) }
                return []
            }
        }
    }

    /// Whether what was read is what cannot be read, now and ever. Anything else may pass: nobody is to miss an event for a
    /// database that has too much to do.
    private static func isOfTheEvent(_ error: any Error) -> Bool {
        switch error {
        case is PostgresDecodingError, is DecodingError: true
        case let error as PostgresError: error.sqlState.isClass("22")
        default: false
        }
    }

    /// Reactions are told all together, as they are now: of many to one message the last says what the others would. A message
    /// that everybody reacts to would be told with all its reactions for each of them.
    private func dropSuperseded() {
        struct Subject: Hashable {
            let conversation: UUID?
            let seq: Int64
        }
        var seen: Set<Subject> = []
        let kept = announcements.reversed().filter { announcement in
            guard case .reactionsUpdated(let seq) = announcement.news, announcement.own == nil else { return true }
            return seen.insert(Subject(conversation: announcement.conversation, seq: seq)).inserted
        }
        announcements = kept.reversed()
    }
}
