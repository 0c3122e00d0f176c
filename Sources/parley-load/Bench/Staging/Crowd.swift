import AsyncHTTPClient
import Foundation
import ParleyWire

/// Makes people and groups for a measurement.
struct Crowd: Sendable {
    struct Person: Sendable {
        let account: Account
        let id: WireID
    }

    struct Group: Sendable {
        let id: WireID
        /// The owner first.
        let people: [Person]
    }

    /// What stands before the number of a message in its text, for readers of streams: nothing else that they read has it.
    static let mark = "~"
    /// Requests under way at once while people and groups are made.
    static let width = 32
    /// How long an access token must still be good when a run begins.
    private static let tokenReserve = Duration.seconds(600)

    let client: APIClient
    private let derivation = Derivation(seed: UInt64.random(in: 0...UInt64.max))
    private let progress: Progress

    init(server: MeasuredServer, http: HTTPClient, progress: Progress) {
        client = APIClient(
            servers: Servers([server.url]),
            http: http,
            concurrency: Self.width,
            patience: .seconds(60)
        )
        self.progress = progress
    }

    private init(client: APIClient, progress: Progress) {
        self.client = client
        self.progress = progress
    }

    /// A crowd of another server.
    func at(_ url: String) -> Crowd {
        Crowd(client: client.reaching(Servers([url]), concurrency: Self.width), progress: progress)
    }

    func people(_ count: Int) async throws -> [Person] {
        progress.begin("registering", total: count)
        defer { progress.end() }
        let first = FreshIDs.make()
        return try await concurrentMap(Array(0..<count), width: Self.width) { number in
            let credentials = derivation.credentials("bench/\(first)/\(number)", displayName: "Bench \(number)")
            let account = Account(client: client, credentials: credentials)
            _ = try await account.register(knownToExist: false)
            guard let id = await account.userID else {
                throw APIFailure.unexpected(request: "register", answer: "no session")
            }
            progress.advance()
            return Person(account: account, id: id)
        }
    }

    /// Groups with members of their own; from 50 members on the groups share them, or there would be too many people.
    func groups(_ count: Int, of size: Int) async throws -> [Group] {
        let isShared = size >= 50
        let people = try await people(isShared ? size : size * count)
        return try await groups((0..<count).map { isShared ? people : Array(people[($0 * size)..<($0 + 1) * size]) })
    }

    /// Direct conversations, each of two people of its own.
    func pairs(_ count: Int) async throws -> [Group] {
        let people = try await people(2 * count)
        return try await concurrentMap(Array(0..<count), width: Self.width) { number in
            let pair = [people[2 * number], people[2 * number + 1]]
            let path = "/v1/conversations/direct/\(pair[1].id)"
            let answer = try await pair[0].account.perform("start a conversation", .put(path))
            return Group(id: try answer.decode(Conversation.self).id, people: pair)
        }
    }

    /// One group for each list of members.
    func groups(_ members: [[Person]]) async throws -> [Group] {
        progress.begin("creating groups", total: members.count)
        defer { progress.end() }
        return try await concurrentMap(members, width: Self.width) { members in
            let group = try await group(members)
            progress.advance()
            return group
        }
    }

    private func group(_ members: [Person]) async throws -> Group {
        guard let owner = members.first else { throw Unmeasurable("a group needs members") }
        let id = FreshIDs.make()
        let body = CreateGroupRequest(
            groupName: "Bench",
            participantIds: members.dropFirst().map(\.id),
            joinPolicy: .open
        )
        try await owner.account.perform("create a group", .put("/v1/conversations/\(id)", body))
        return Group(id: id, people: members)
    }

    /// What connections send that are spread over the groups, and in each over its first people.
    func sends(
        into groups: [Group],
        connections: Int,
        senders: Int = 3,
        to address: ServerAddress,
        textLength: Int
    ) async throws -> RequestPlan {
        var templates: [RequestTemplate] = []
        var projectionRequests: [ProjectionRequest] = []
        for connection in 0..<connections {
            let group = groups[connection % groups.count]
            let people = group.people.prefix(senders)
            let token = try await token(of: people[connection / groups.count % people.count])
            templates.append(Self.send(into: group, token: token, to: address, textLength: textLength))
            projectionRequests.append(ProjectionRequest(address: address, token: token))
        }
        return RequestPlan(templates: templates, success: [201], projectionRequests: projectionRequests)
    }

    /// One message, and no hurry.
    @discardableResult
    func say(_ text: String, in group: Group, by person: Person) async throws -> WireID {
        let body = SendMessageRequest(text: text)
        let id = FreshIDs.make()
        let path = "/v1/conversations/\(group.id)/messages/\(id)"
        try await person.account.perform("send", .put(path, body))
        return id
    }

    /// A token that outlives a run.
    func token(of person: Person) async throws -> String {
        try await person.account.accessToken(goodFor: Self.tokenReserve)
    }

    /// What opens a stream for each of these people.
    func openings(_ people: [Person]) async throws -> [Streams.Opening] {
        try await concurrentMap(people, width: Self.width) { Streams.Opening(token: try await token(of: $0)) }
    }

    /// A message with a new id, whose text holds its number.
    static func send(
        into group: Group,
        token: String,
        to address: ServerAddress,
        textLength: Int
    ) -> RequestTemplate {
        let words = String(repeating: "Lorem ipsum dolor sit amet. ", count: textLength / 28 + 1)
        return RequestTemplate(
            "PUT",
            "/v1/conversations/\(group.id)/messages/{uuid}",
            to: address,
            token: token,
            json: #"{"text":"\#(mark){counter} \#(words.prefix(max(textLength - mark.count - 11, 1)))"}"#
        )
    }
}
