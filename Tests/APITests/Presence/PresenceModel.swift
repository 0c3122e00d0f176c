import Foundation

@testable import Live

/// Who must be what to whom, on several servers: kept by what is done to them, in step with the servers.
struct PresenceModel {
    typealias Status = PresenceBoard.Status

    /// A device of a person.
    struct Device: Hashable {
        let person: UUID
        let session: UUID
    }

    struct Conversation: Hashable {
        let id: UUID
        var members: Set<UUID>
        let isDirect: Bool
    }

    struct Pair: Hashable {
        let one: UUID
        let other: UUID
    }

    private struct Typing: Hashable {
        let person: UUID
        let conversation: UUID
    }

    /// What a server knows, where all that is uncertain happened early, or late.
    private struct Server {
        var rules = [PresenceRule(), PresenceRule()]
        /// What it has published of people.
        var published: [[UUID: Status]] = [[:], [:]]
        /// When it last passed on what a session did, certainly or perhaps.
        var passedAt: [[UUID: Double]] = [[:], [:]]
        /// When it was published that somebody types, and whether since then that it is over.
        var typing: [Typing: (at: Double, isOver: Bool)] = [:]
    }

    private static let (early, late) = (0, 1)

    let people: [UUID]
    private(set) var now = 0.0
    private(set) var isCut = false
    private var servers: [UUID: Server] = [:]
    var conversations: [Conversation] = []
    var blocks: Set<Pair> = []
    var hidden: Set<UUID> = []
    var subscriptions: [UUID: [UUID]] = [:]

    init(people: [UUID]) {
        self.people = people
    }

    // MARK: What is asked

    /// What a server may say of a person: several where it is not known exactly.
    func statuses(of person: UUID, at server: UUID) -> ClosedRange<Status> {
        let found = servers[server]?.rules.map { $0.status(of: person, now) } ?? []
        return (found.min() ?? .offline)...(found.max() ?? .offline)
    }

    func all() -> [UUID: [UUID: ClosedRange<Status>]] {
        servers.keys.reduce(into: [:]) { all, server in
            for person in people { all[server, default: [:]][person] = statuses(of: person, at: server) }
        }
    }

    /// Of whom a device's streams are told, if they may see them.
    func targets(of device: Device) -> Set<UUID> {
        let partners = conversations.filter { $0.isDirect && $0.members.contains(device.person) }.flatMap(\.members)
        return Set(subscriptions[device.session] ?? []).union(partners.filter { $0 != device.person })
    }

    func maySee(_ person: UUID, _ viewer: UUID) -> Bool {
        if person == viewer { return true }
        return !hidden.contains(person) && !isBlocked(person, viewer)
            && conversations.contains { $0.members.isSuperset(of: [person, viewer]) }
    }

    func isBlocked(_ one: UUID, _ other: UUID) -> Bool {
        blocks.contains(Pair(one: one, other: other)) || blocks.contains(Pair(one: other, other: one))
    }

    /// Whether somebody may write.
    func maySend(_ person: UUID, in conversation: Conversation) -> Bool {
        guard conversation.members.contains(person) else { return false }
        return !conversation.isDirect || !conversation.members.contains { isBlocked(person, $0) }
    }

    // MARK: Servers

    mutating func starts(_ server: UUID) {
        servers[server] = Server()
        if !isCut { publishAll(except: server) }
    }

    mutating func dies(_ server: UUID) {
        servers[server] = nil
        for other in servers.keys { fallSilent(server, at: other) }
    }

    mutating func cut() {
        isCut = true
        for one in servers.keys { for other in servers.keys where other != one { fallSilent(one, at: other) } }
    }

    mutating func mend() {
        isCut = false
        publishAll()
    }

    /// Each publishes everything in 20 s, a part of it at a time, and it holds for 50 s.
    private mutating func fallSilent(_ server: UUID, at other: UUID) {
        servers[other]?.rules[Self.early].fellSilent(server, until: now + 24)
        servers[other]?.rules[Self.late].fellSilent(server, until: now + 51)
    }

    private mutating func publishAll(except listener: UUID? = nil) {
        for server in servers.keys where server != listener {
            for bound in [Self.early, Self.late] {
                for person in people {
                    let own = servers[server]?.rules[bound].own(person, now) ?? .offline
                    if own > .offline { publish(own, of: person, from: server, bound) }
                }
            }
        }
    }

    private mutating func publish(
        _ status: Status,
        of person: UUID,
        from server: UUID,
        _ bound: Int,
        isGoodbye: Bool = false
    ) {
        for other in servers.keys where other != server {
            servers[other]?.rules[bound].received(status, of: person, from: server, now, isGoodbye: isGoodbye)
        }
    }

    // MARK: What happens

    mutating func pass(_ seconds: Double) {
        now += seconds
        advance()
    }

    /// What ends by itself, and what the servers publish to each other of it.
    private mutating func advance() {
        for server in servers.keys {
            for bound in [Self.early, Self.late] {
                servers[server]?.rules[bound].advance(now)
                for person in people {
                    let own = servers[server]?.rules[bound].own(person, now) ?? .offline
                    guard own != servers[server]?.published[bound][person] ?? .offline else { continue }
                    servers[server]?.published[bound][person] = own
                    if !isCut { publish(own, of: person, from: server, bound) }
                }
            }
        }
    }

    mutating func opened(_ device: Device, at server: UUID) {
        for bound in [Self.early, Self.late] {
            servers[server]?.rules[bound].opened(device.session, device.person, now)
        }
        advance()
    }

    mutating func closed(_ device: Device, at server: UUID) {
        for bound in [Self.early, Self.late] { servers[server]?.rules[bound].closed(device.session, now) }
        advance()
    }

    /// A request that does something.
    mutating func isActive(_ device: Device, at server: UUID) {
        guard let found = servers[server] else { return }
        let session = device.session
        defer { advance() }
        guard !found.rules[Self.late].isHere(session) else {
            for bound in [Self.early, Self.late] { servers[server]?.rules[bound].isActive(session, now) }
            return
        }
        // Passed on once a minute, where the person is at another process.
        let isElsewhere = found.rules.map { $0.isElsewhere(device.person, now) }
        guard isElsewhere.contains(where: { $0 != false }) else { return }
        let isCertain = isElsewhere.allSatisfy { $0 == true }
        let wasLong = found.passedAt.map { now - ($0[session] ?? -.infinity) >= 60 }
        if wasLong[Self.early] { servers[server]?.passedAt[Self.early][session] = now }
        if wasLong[Self.late], isCertain { servers[server]?.passedAt[Self.late][session] = now }
        guard !isCut else { return }
        for other in servers.keys where other != server {
            if wasLong[Self.early], isCertain { servers[other]?.rules[Self.early].isActive(session, now) }
            if wasLong[Self.late] { servers[other]?.rules[Self.late].isActive(session, now) }
        }
    }

    mutating func says(_ word: Status, _ device: Device, at server: UUID) {
        for hearing in servers.keys where hearing == server || !isCut {
            for bound in [Self.early, Self.late]
            where servers[hearing]?.rules[bound].says(word, device.session, now) == true {
                servers[hearing]?.published[bound][device.person] = .offline
                if !isCut { publish(.offline, of: device.person, from: hearing, bound, isGoodbye: true) }
            }
        }
        advance()
    }

    // MARK: Typing

    /// - Returns: the servers whose streams receive it.
    mutating func types(_ isTyping: Bool, _ person: UUID, in conversation: UUID, at server: UUID) -> Set<UUID> {
        let key = Typing(person: person, conversation: conversation)
        guard note(isTyping, key, at: server) else { return [] }
        guard !isCut else { return [server] }
        return servers.keys.reduce(into: [server]) { receivers, other in
            if other != server, note(isTyping, key, at: other) { receivers.insert(other) }
        }
    }

    /// Published at most once in 2 s, and over after 3 s.
    private mutating func note(_ isTyping: Bool, _ key: Typing, at server: UUID) -> Bool {
        let last = servers[server]?.typing[key]
        let age = last.map { now - $0.at } ?? .infinity
        if isTyping {
            guard age >= 2 else { return false }
            servers[server]?.typing[key] = (now, false)
            return true
        }
        servers[server]?.typing[key]?.isOver = true
        return age < 3 && last?.isOver == false
    }

    mutating func sent(by person: UUID, in conversation: UUID) {
        let key = Typing(person: person, conversation: conversation)
        for server in servers.keys { servers[server]?.typing[key] = nil }
    }
}
