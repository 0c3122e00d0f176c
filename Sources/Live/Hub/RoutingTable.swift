import Foundation

/// Who of the people with open streams is in which conversation.
struct RoutingTable<Subscriber: Hashable> {
    private struct Person {
        var subscribers: [Subscriber]
        var conversations: Set<UUID>
    }

    private var people: [UUID: Person] = [:]
    /// Only members with an open stream; no empty sets.
    private var members: [UUID: Set<UUID>] = [:]

    var connectedPeople: Int { people.count }

    /// - Parameter conversations: those of the person at this moment; where another stream of the person is open, the
    ///   table follows them already.
    mutating func attach(_ subscriber: Subscriber, of person: UUID, in conversations: Set<UUID>) {
        if people[person] == nil {
            people[person] = Person(subscribers: [subscriber], conversations: conversations)
            for conversation in conversations { members[conversation, default: []].insert(person) }
        } else {
            people[person]?.subscribers.append(subscriber)
        }
    }

    mutating func detach(_ subscriber: Subscriber, of person: UUID) {
        guard var found = people[person], let index = found.subscribers.firstIndex(of: subscriber) else { return }
        found.subscribers.remove(at: index)
        people[person] = found.subscribers.isEmpty ? nil : found
        guard found.subscribers.isEmpty else { return }
        for conversation in found.conversations { remove(person, from: conversation) }
    }

    mutating func apply(_ step: MembershipStep) {
        switch step {
        case .joined(let conversation, let joining, _):
            for person in joining where people[person] != nil {
                people[person]?.conversations.insert(conversation)
                members[conversation, default: []].insert(person)
            }
        case .left(let conversation, let person):
            people[person]?.conversations.remove(conversation)
            remove(person, from: conversation)
        }
    }

    private mutating func remove(_ person: UUID, from conversation: UUID) {
        members[conversation]?.remove(person)
        if members[conversation]?.isEmpty == true { members[conversation] = nil }
    }

    func subscribers(of person: UUID) -> [Subscriber] {
        people[person]?.subscribers ?? []
    }

    func connectedMembers(of conversation: UUID) -> Set<UUID> {
        members[conversation] ?? []
    }

    func conversations(of person: UUID) -> Set<UUID> {
        people[person]?.conversations ?? []
    }

    /// The people with open streams whom an audience includes.
    func people(in audience: Audience) -> Set<UUID> {
        switch audience {
        case .nobody: []
        case .people(let some): some.filter { people[$0] != nil }
        case .members(let conversation): connectedMembers(of: conversation)
        case .someMembers(let some, let conversation): connectedMembers(of: conversation).intersection(some)
        case .contacts(let subject, let conversations):
            conversations.reduce(into: people[subject] == nil ? [] : [subject]) { all, conversation in
                all.formUnion(connectedMembers(of: conversation))
            }
        case .everybody: Set(people.keys)
        }
    }
}
