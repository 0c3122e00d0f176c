import Foundation
import ParleyWire

/// What is so, kept by hand: who is in which conversation, what was said there, and who may ever see it.
///
/// Every text that is written has a tag of its own, so that it is found in whatever anybody is shown.
struct WalkWorld {
    struct Room {
        var membership = WalkMembers()
        /// Who has been there from its beginning.
        var founders: Set<UUID>
        var settings: WalkSettings
        /// Who was in it, each time anew.
        var spans: [UUID: [WalkSpan]] = [:]
        /// What it was for those who have left.
        var left: [UUID: Left] = [:]
        var messages: [Sent] = []

        var members: Set<UUID> { membership.people }
        var showsAll: Bool { settings.historyVisibility != .joined }
        var headSeq: Int64 { Int64(messages.count) }
    }

    /// A room when somebody left it.
    struct Left {
        var settings: WalkSettings
        let roles: [UUID: ParticipantRole]
    }

    struct Sent {
        let id: UUID
        let seq: Int64
        let sender: UUID
        var mentions: Set<UUID> = []
        var mentionsAll = false
        /// What it has ever said; the last is what it says.
        var tags: [Int]
        var files: [UUID] = []
        /// When it goes by itself, in milliseconds.
        var expiresAt: Int64?
        var isDeleted = false
        /// It is there and counts; what it said is gone.
        var isErased = false
        var hiddenFrom: Set<UUID> = []
        /// By emoji, who has given it.
        var reactions: [String: Set<UUID>] = [:]
        var pinnedBy: UUID?

        func mentions(_ person: UUID) -> Bool { mentionsAll || mentions.contains(person) }
    }

    private(set) var rooms: [UUID: Room] = [:]
    private(set) var erased: Set<UUID> = []
    /// Who does not want others to know what was read.
    private(set) var discreet: Set<UUID> = []
    private var viewers: [Int: Set<UUID>] = [:]
    private var lastTag = 0

    func isShown(_ tag: Int, to person: UUID) -> Bool { viewers[tag]?.contains(person) ?? false }

    /// A text that nobody but its author may see so far.
    mutating func text(by person: UUID) -> (tag: Int, text: String) {
        lastTag += 1
        viewers[lastTag] = [person]
        return (lastTag, "walk w\(lastTag)w")
    }

    /// The tags of the texts in something that somebody was shown.
    static func tags(in shown: String) -> Set<Int> {
        // With the blank: signatures and cursors have letters and digits by chance.
        Set(shown.matches(of: #/walk w(\d+)w/#).compactMap { Int($0.1) })
    }

    /// What is known of texts that somebody was shown and should not have been, for whoever reads of it.
    func description(of tags: Set<Int>, for person: UUID) -> String {
        tags.sorted().flatMap { tag in
            rooms.flatMap { id, room in
                room.messages.filter { $0.tags.contains(tag) }.map { message in
                    let spans = (room.spans[person] ?? []).map { "\($0.start)..\($0.end.map { "\($0)" } ?? "")" }
                    return """
                        w\(tag)w of \(message.tags) at \(message.seq) in \(id), deleted: \(message.isDeleted), \
                        erased: \(message.isErased), expires: \(message.expiresAt.map { "\($0)" } ?? "never"), \
                        a member: \(room.members.contains(person)), there: \(spans), \
                        \(room.settings.historyVisibility.map { "\($0)" } ?? "direct"), viewers: \(viewers[tag]?.contains(person) ?? false)
                        """
                }
            }
        }.joined(separator: "; ")
    }

    /// - Parameter members: whoever starts it first.
    mutating func start(_ room: UUID, _ members: [UUID], _ settings: WalkSettings) {
        guard rooms[room] == nil else { return }
        var membership = WalkMembers()
        for (place, person) in members.enumerated() {
            membership.join(person, as: settings.isGroup && place == 0 ? .owner : .member)
        }
        let spans = Dictionary(uniqueKeysWithValues: members.map { ($0, [WalkSpan(after: 0)]) })
        rooms[room] = Room(membership: membership, founders: Set(members), settings: settings, spans: spans)
    }

    /// Adds somebody, or changes a member's role.
    mutating func put(_ person: UUID, _ room: UUID, as role: ParticipantRole?) {
        if let role { rooms[room]?.membership.change(person, to: role) }
        join(person, room, as: role ?? .member)
    }

    mutating func join(_ person: UUID, _ room: UUID, as role: ParticipantRole = .member) {
        guard let found = rooms[room], !found.members.contains(person) else { return }
        let headSeq = found.headSeq
        rooms[room]?.membership.join(person, as: role)
        rooms[room]?.left[person] = nil
        rooms[room]?.spans[person, default: []].append(WalkSpan(after: headSeq))
        if rooms[room]?.showsAll == true { show(room, to: [person]) }
    }

    mutating func leave(_ person: UUID, _ room: UUID) {
        guard let found = rooms[room], found.members.contains(person) else { return }
        let headSeq = found.headSeq
        rooms[room]?.membership.leave(person)
        if let roles = rooms[room]?.membership.roles {
            rooms[room]?.left[person] = Left(settings: found.settings, roles: roles)
        }
        rooms[room]?.founders.remove(person)
        changeSpan(of: person, in: room) { $0.end = headSeq }
    }

    /// Somebody is gone, from groups also as a member, and so is all that the person said.
    mutating func erase(_ person: UUID) {
        erased.insert(person)
        for room in rooms.keys {
            if rooms[room]?.settings.isGroup == true { leave(person, room) }
            rooms[room]?.settings.forget(person)
            for former in rooms[room]?.left.map(\.key) ?? [] { rooms[room]?.left[former]?.settings.forget(person) }
            for place in rooms[room]?.messages.indices ?? 0..<0 {
                rooms[room]?.messages[place].change { message in
                    if message.sender == person { message.isErased = true }
                    for emoji in message.reactions.keys { message.react(emoji, person, adds: false) }
                }
            }
        }
    }

    mutating func change(_ room: UUID, to settings: WalkSettings) {
        rooms[room]?.settings = settings
        if let found = rooms[room], found.showsAll { show(room, to: found.members) }
    }

    private mutating func show(_ room: UUID, to people: Set<UUID>) {
        for message in rooms[room]?.messages ?? [] {
            for tag in message.tags { viewers[tag]?.formUnion(people) }
        }
    }

    mutating func send(_ message: Sent, in room: UUID) {
        guard let members = rooms[room]?.members else { return }
        for tag in message.tags { viewers[tag]?.formUnion(members) }
        rooms[room]?.messages.append(message)
    }

    mutating func change(_ id: UUID, in room: UUID, _ body: (inout Sent) -> Void) {
        guard let place = rooms[room]?.messages.firstIndex(where: { $0.id == id }) else { return }
        rooms[room]?.messages[place].change(body)
    }

    /// What has had its time by then is as deleted.
    mutating func expire(by time: Date) {
        let now = Timestamp.milliseconds(of: time)
        for room in rooms.keys {
            for place in rooms[room]?.messages.indices ?? 0..<0 {
                if let end = rooms[room]?.messages[place].expiresAt, end <= now {
                    rooms[room]?.messages[place].isDeleted = true
                }
            }
        }
    }

    mutating func set(_ person: UUID, showsReading: Bool) {
        if showsReading { discreet.remove(person) } else { discreet.insert(person) }
    }

    /// Marks go forward, and not beyond what is there; what is read was received.
    mutating func advance(_ person: UUID, in room: UUID, delivered: Int64 = 0, read: Int64 = 0) {
        guard let found = rooms[room], found.members.contains(person) else { return }
        let isDiscreet = discreet.contains(person)
        changeSpan(of: person, in: room) { span in
            span.delivered = max(span.delivered, min(max(delivered, read), found.headSeq))
            if !isDiscreet { span.read = max(span.read, min(read, found.headSeq)) }
        }
    }

    private mutating func changeSpan(of person: UUID, in room: UUID, _ body: (inout WalkSpan) -> Void) {
        guard let last = rooms[room]?.spans[person]?.indices.last, var span = rooms[room]?.spans[person]?[last] else {
            return
        }
        body(&span)
        rooms[room]?.spans[person]?[last] = span
    }

    /// Whoever could see the message, and still is there, sees what it says now.
    mutating func edit(_ id: UUID, in room: UUID, to tag: Int) {
        guard let found = rooms[room], let message = found.messages.first(where: { $0.id == id }) else { return }
        let before = message.tags.reduce(into: Set<UUID>()) { $0.formUnion(viewers[$1] ?? []) }
        viewers[tag]?.formUnion(before.intersection(found.members))
        change(id, in: room) { $0.tags.append(tag) }
    }

    /// What counts as unread, in the order in which it was sent.
    func unread(of person: UUID, in room: UUID, after seq: Int64) -> [Sent] {
        rooms[room]?.messages.filter { $0.seq > seq && $0.sender != person && !$0.isDeleted } ?? []
    }

    /// All that no conversation says any more to a person: what was forwarded outlives its original, and who has left sees
    /// what was said then.
    func goneTags(for person: UUID) -> Set<Int> {
        var all: Set<Int> = []
        var said: Set<Int> = []
        for room in rooms.values {
            let hasLeft = !room.members.contains(person)
            for message in room.messages {
                all.formUnion(message.tags)
                guard !message.isDeleted, !message.isErased else { continue }
                said.formUnion(hasLeft ? message.tags[...] : message.tags.suffix(1))
            }
        }
        return all.subtracting(said)
    }
}

extension WalkWorld.Sent {
    mutating func react(_ emoji: String, _ person: UUID, adds: Bool) {
        if adds { reactions[emoji, default: []].insert(person) } else { reactions[emoji]?.remove(person) }
    }

    /// None where it is gone, or gone for that one.
    func shownReactions(to person: UUID) -> [String: Set<UUID>] {
        isDeleted || hiddenFrom.contains(person) ? [:] : reactions.filter { !$0.value.isEmpty }
    }

    /// Who has pinned it, as one is told.
    func shownPin(to person: UUID) -> UUID? {
        isDeleted || hiddenFrom.contains(person) ? nil : pinnedBy
    }

    fileprivate mutating func change(_ body: (inout Self) -> Void) { body(&self) }
}
