import Foundation
import Messaging
import ParleyWire
import ReadModels

/// Reads from the read models what announcements take, in sets.
struct FactReader: Sendable {
    private static let viewersAtOnce = 500

    let queries: Queries
    /// The only person who is told; nil where it may be anybody.
    let viewer: UUID?

    init(queries: Queries, viewer: UUID? = nil) {
        self.queries = queries
        self.viewer = viewer
    }

    /// Reads what is not known yet.
    ///
    /// - Parameters:
    ///   - viewers: those who are told, each as far as an announcement concerns them.
    ///   - ready: is awaited before anything is read.
    func read(
        for announcements: [Announcement],
        to viewers: Set<UUID>,
        into facts: inout Facts,
        ready: () async throws -> Void = {}
    ) async throws {
        var needed = NeededFacts()
        for announcement in announcements { needed.add(announcement, for: viewers, beyond: facts) }
        guard !needed.isEmpty else { return }
        try await ready()
        try await readConversations(needed, into: &facts)
        for (id, people) in needed.participants {
            facts.participants[id] = try await queries.participants(Array(people), of: id, for: viewer)
        }
        if !needed.users.isEmpty {
            facts.users.merge(try await queries.users(Array(needed.users))) { _, new in new }
        }
        try await readSystemMessages(needed, into: &facts)
        try await readMessages(needed, into: &facts)
        try await readAuthors(needed, into: &facts)
    }

    private func readConversations(_ needed: NeededFacts, into facts: inout Facts) async throws {
        guard let viewer else {
            for (id, people) in needed.conversations {
                let people = Array(people)
                for start in stride(from: 0, to: people.count, by: Self.viewersAtOnce) {
                    let some = Array(people[start..<min(people.count, start + Self.viewersAtOnce)])
                    facts.conversations[id, default: [:]].merge(
                        try await queries.conversation(id, forEach: some)
                    ) { _, new in new }
                }
            }
            return
        }
        for (id, conversation) in try await queries.conversations(Array(needed.conversations.keys), for: viewer) {
            facts.conversations[id] = [viewer: conversation]
        }
    }

    private func readSystemMessages(_ needed: NeededFacts, into facts: inout Facts) async throws {
        for (id, places) in needed.systemMessages {
            let messages = try await queries.systemMessages(places.map(\.message), in: id, for: viewer)
            for place in places { facts.systemMessages[place.position] = messages[place.message] }
        }
    }

    private func readMessages(_ needed: NeededFacts, into facts: inout Facts) async throws {
        guard let viewer, !needed.messages.isEmpty || !needed.systemMessages.isEmpty else { return }
        for (id, places) in needed.messages {
            let messages = try await queries.messages(places.map(\.seq), in: id, for: viewer)
            for place in places {
                facts.messages[place.position] = messages[place.seq].map {
                    Facts.SentMessage(message: $0, isSeenByViewer: true)
                }
            }
        }
        let known = facts.names
        let authors =
            facts.messages.values.flatMap(\.message.authors) + facts.systemMessages.values.map(\.senderId)
        let unknown = Set(authors).filter { known[$0] == nil }
        guard !unknown.isEmpty else { return }
        facts.names.merge(try await queries.summaries(of: Set(unknown.map(\.uuid)))) { _, new in new }
    }

    private func readAuthors(_ needed: NeededFacts, into facts: inout Facts) async throws {
        guard !needed.marks.isEmpty else { return }
        // What the only viewer has read concerns the viewer anyway.
        let marks = needed.marks.filter { viewer == nil || $0.mark.person != viewer }
        let authors = try await queries.authors(coveredBy: marks.map(\.mark), only: viewer)
        for (position, count) in needed.markCounts where facts.authors[position] == nil {
            facts.authors[position] = Array(repeating: nil, count: count)
        }
        for (mark, authors) in zip(marks, authors) { facts.authors[mark.position]?[mark.place] = authors }
        if let viewer, !marks.isEmpty { facts.withoutReading = try await queries.peopleWithoutReading(among: [viewer]) }
    }
}

/// What announcements take, beyond what is known.
private struct NeededFacts {
    /// Who sees them, by conversation.
    var conversations: [UUID: Set<UUID>] = [:]
    var participants: [UUID: Set<UUID>] = [:]
    var users: Set<UUID> = []
    var messages: [UUID: [(seq: Int64, position: Int64)]] = [:]
    var systemMessages: [UUID: [(message: UUID, position: Int64)]] = [:]
    /// Marks, the position of their event and their place in it.
    var marks: [(mark: SetMark, position: Int64, place: Int)] = []
    var markCounts: [Int64: Int] = [:]

    var isEmpty: Bool {
        conversations.isEmpty && participants.isEmpty && users.isEmpty && messages.isEmpty && systemMessages.isEmpty
            && marks.isEmpty
    }

    mutating func add(_ announcement: Announcement, for viewers: Set<UUID>, beyond facts: Facts) {
        var others = viewers
        if let own = announcement.own, others.remove(own.person) != nil {
            add(own.news, of: announcement, for: [own.person], beyond: facts)
        }
        if !others.isEmpty { add(announcement.news, of: announcement, for: others, beyond: facts) }
        if let erased = announcement.erased, facts.users[erased] == nil { users.insert(erased) }
        if let message = announcement.systemMessage, let id = announcement.conversation {
            systemMessages[id, default: []].append((message, announcement.position))
        }
    }

    private mutating func add(
        _ news: Announcement.News,
        of announcement: Announcement,
        for viewers: Set<UUID>,
        beyond facts: Facts
    ) {
        switch news {
        case .conversationCreated, .conversationUpdated, .viewUpdated:
            guard let id = announcement.conversation else { return }
            conversations[id, default: []].formUnion(viewers)
        case .conversationRemoved, .blockUpdated:
            break
        case .participantAdded(let person), .participantUpdated(let person), .participantRemoved(let person):
            guard let id = announcement.conversation else { return }
            participants[id, default: []].insert(person)
        case .messageCreated(let sent, _):
            guard let id = announcement.conversation, facts.messages[announcement.position] == nil else { return }
            messages[id, default: []].append((sent.seq, announcement.position))
        case .messageUpdated(let seq), .messageDeleted(let seq), .messageHidden(let seq),
            .reactionsUpdated(to: let seq):
            guard let id = announcement.conversation, facts.messages[announcement.position] == nil else { return }
            messages[id, default: []].append((seq, announcement.position))
        case .receiptsUpdated(let advanced, let time):
            add(advanced, at: time, of: announcement, beyond: facts)
        case .userUpdated(let person):
            if facts.users[person] == nil { users.insert(person) }
        }
    }

    private mutating func add(
        _ advanced: ReceiptsAdvanced,
        at time: Date,
        of announcement: Announcement,
        beyond facts: Facts
    ) {
        guard let id = announcement.conversation else { return }
        let known = facts.authors[announcement.position]
        for (place, mark) in advanced.marks.enumerated() where known?[place] == nil {
            let set = SetMark(
                conversation: id,
                person: mark.person,
                deliveredSeq: mark.deliveredSeq,
                readSeq: mark.readSeqForOthers,
                at: time
            )
            marks.append((set, announcement.position, place))
        }
        markCounts[announcement.position] = advanced.marks.count
    }
}
