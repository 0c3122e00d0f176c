import AsyncHTTPClient
import Foundation
import NIOPosix
import ParleyWire

/// People and groups made for one measurement.
struct BenchStage: Sendable {
    /// A group with the three of its members who do something.
    struct Group: Sendable {
        let id: WireID
        let people: [Account]
    }

    let client: APIClient
    let http: HTTPClient
    let groups: [Group]
    let addresses: [ServerAddress]

    /// Makes a stage, runs a measurement on it, and closes its connections.
    static func with(
        _ options: BenchOptions,
        streams: Int = 0,
        _ body: @Sendable (BenchStage) async throws -> Void
    ) async throws {
        let width = options.target.concurrency + streams
        let http = HTTPClient(configuration: APIClient.configuration(connections: width))
        do {
            try await body(try await make(options, http))
        } catch {
            try? await http.shutdown()
            throw error
        }
        try await http.shutdown()
    }

    private static func make(_ options: BenchOptions, _ http: HTTPClient) async throws -> BenchStage {
        let client = options.target.client(http)
        let progress = Progress()
        let derivation = Derivation(seed: UInt64.random(in: 0...UInt64.max))
        // Large groups share their members; in small ones everybody has one group.
        let isLarge = options.groupSize > 50
        let count = isLarge ? options.groupSize : options.groupSize * options.conversations
        progress.begin("registering", total: count)
        let people = try await concurrentMap(Array(0..<count), width: 8) { number in
            let account = Account(
                client: client,
                credentials: derivation.credentials("bench/\(number)", displayName: "Bench \(number)")
            )
            _ = try await account.register(knownToExist: false)
            guard let id = await account.userID else {
                throw APIFailure.unexpected(request: "register", answer: "no session")
            }
            progress.advance()
            return (account, id)
        }
        progress.begin("creating groups", total: options.conversations)
        let groups = try await concurrentMap(Array(0..<options.conversations), width: 8) { number in
            let members = isLarge ? people[...] : people.dropFirst(number * options.groupSize).prefix(options.groupSize)
            let group = try await create(FreshID.make(), members: Array(members), number: number)
            progress.advance()
            return group
        }
        progress.end()
        let addresses = client.servers.addresses.compactMap(ServerAddress.init)
        guard addresses.count == client.servers.addresses.count else {
            throw APIFailure.unexpected(request: "bench", answer: "only http:// servers can be measured")
        }
        return BenchStage(client: client, http: http, groups: groups, addresses: addresses)
    }

    private static func create(_ id: WireID, members: [(Account, WireID)], number: Int) async throws -> Group {
        let body = CreateGroupRequest(
            groupName: "Bench \(number)",
            participantIds: members.dropFirst().map(\.1),
            joinPolicy: .open
        )
        let answer = try await members[0].0.send(.put("/v1/conversations/\(id)", body))
        guard answer.isSuccess else {
            throw APIFailure.unexpected(request: "create a group", answer: answer.summary)
        }
        return Group(id: id, people: members.prefix(3).map(\.0))
    }

    /// The requests of a connection: its person sends into its group.
    func requests(connection: Int, textLength: Int) async throws -> SendRequests {
        let group = groups[connection % groups.count]
        let person = group.people[connection / groups.count % group.people.count]
        return SendRequests(
            conversation: group.id,
            token: try await person.accessToken(),
            address: addresses[connection % addresses.count],
            textLength: textLength
        )
    }

    /// Waits until the read models have what the tokens stand for.
    func settle(_ positions: [String]) async throws {
        let account = groups[0].people[0]
        for position in positions {
            let answer = try await account.send(.get("/v1/me", waitFor: position))
            guard answer.status == 200 else {
                throw APIFailure.unexpected(request: "waiting for the projectors", answer: answer.summary)
            }
        }
    }
}
