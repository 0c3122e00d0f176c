/// A person with many conversations, each with a message, who asks for the first page of the list, again and again.
struct ConversationLists: Sendable {
    private static let others = 40

    let subject: Subject
    let person: Crowd.Person
    let groups: [Crowd.Group]

    static func make(_ subject: Subject, conversations: Int) async throws -> ConversationLists {
        let people = try await subject.crowd.people(others + 1)
        let person = people[0]
        let groups = try await subject.crowd.groups(
            (0..<conversations).map { number in
                [person, people[1 + number % others], people[1 + (number + 1) % others]]
            }
        )
        subject.progress.begin("one message in each", total: groups.count)
        defer { subject.progress.end() }
        _ = try await concurrentMap(groups, width: Crowd.width) { group in
            try await subject.crowd.say("Hello, all", in: group, by: group.people[1])
            subject.progress.advance()
        }
        return ConversationLists(subject: subject, person: person, groups: groups)
    }

    func run(_ phase: String) async throws -> LoadResult {
        try await subject.gets("/v1/conversations", by: person, phase)
    }
}
