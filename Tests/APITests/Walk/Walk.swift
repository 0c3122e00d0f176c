import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API

/// The commands, one after the other, so that it can be said what each has done.
struct Walk {
    let servers: [LiveServer]
    /// Of both servers; it moves with the walk alone.
    let clock: TestClock
    let people: [LivePerson]
    var random: SeededRandom
    var world = WalkWorld()
    var tally = WalkTally()
    var rooms: [UUID] = []
    var invites: [(room: UUID, code: String)] = []
    var scheduled: [Scheduled] = []

    /// What is to be sent later, as its author wants it now.
    struct Scheduled {
        let id: UUID
        let author: LivePerson
        let room: UUID
        let tag: Int
        let sendAt: Date
    }

    init(_ servers: [LiveServer], _ clock: TestClock, _ people: [LivePerson], _ random: SeededRandom) {
        self.servers = servers
        self.clock = clock
        self.people = people
        self.random = random
    }

    mutating func go(steps: Int) async throws {
        for showsAll in [true, false] { try await startGroup(showsAll: showsAll) }
        try await startDirect()
        for _ in 0..<steps { try await step() }
        try await complete()
    }

    mutating func step() async throws {
        // Whole milliseconds that a binary fraction holds.
        clock.advance(by: 0.125)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<24: try await send()
        case ..<28: try await sendSeveral()
        case ..<34: try await edit()
        case ..<39: try await delete()
        case ..<44: try await react()
        case ..<48: random.chance(50) ? try await pin() : try await star()
        case ..<51: try await forward()
        case ..<61: try await advanceReceipts()
        case ..<64: try await markUnread()
        case ..<72: try await changeMembers()
        case ..<75: try await invite()
        case ..<80: try await changeGroup()
        case ..<84: try await changeOwnView()
        case ..<87: try await schedule()
        case ..<88: try await block()
        case ..<89: try await report()
        case ..<90: random.chance(30) ? try await startGroup(showsAll: random.chance(50)) : try await startDirect()
        case ..<92: try await changeProfile()
        case ..<93: try await keepShortly()
        case ..<96: try await passTime()
        default: try await read()
        }
    }

    // MARK: People

    mutating func block() async throws {
        let (one, other) = pair()
        let blocks = random.chance(40)
        let path = "/v1/blocks/\(other.wireID)"
        _ = try await ask(blocks ? .put : .delete, path, one, as: blocks ? .block : .unblock)
    }

    mutating func report() async throws {
        guard let (room, message) = anyMessage() else { return }
        _ = try await ask(
            .post,
            "/v1/reports",
            anyone(),
            [
                "conversationId": .string(WireID(room).description),
                "messageId": .string(WireID(message.id).description),
                "reason": .string("spam"),
            ],
            as: .report
        )
    }

    mutating func changeProfile() async throws {
        let actor = anyone()
        let body: JSONValue
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: return try await showReading(random.chance(50), actor)
        case 2: body = ["displayName": .string("Name \(Int.random(in: 0..<100, using: &random))")]
        default: body = ["photoURL": Self.name(try await picture(of: actor))]
        }
        _ = try await ask(.patch, "/v1/me", actor, body, as: .changeProfile)
    }

    /// Both servers are asked: another than the one that hears of it may go by what it remembers for a moment.
    private mutating func showReading(_ showsReading: Bool, _ actor: LivePerson) async throws {
        for server in servers {
            let body: JSONValue = ["settings": ["readReceipts": .bool(showsReading)]]
            let answer = try await server.ask(.patch, "/v1/me", actor, body)
            #expect(answer.status == .ok, "\(answer.text)")
            tally.note(.showReading, isDone: answer.isDone)
        }
        world.set(actor.id, showsReading: showsReading)
    }

    /// An image that somebody has uploaded, to be shown; now and then none.
    mutating func picture(of person: LivePerson) async throws -> UUID? {
        guard random.chance(75) else { return nil }
        return try await upload(try SampleImage.bytes("plain.png"), "kind=image", "image/png", person)
    }

    /// As a request names a picture, or takes it away.
    static func name(_ picture: UUID?) -> JSONValue {
        picture.map { JSONValue.string(WireID($0).description) } ?? .null
    }

    /// A file that somebody has uploaded.
    mutating func upload(_ bytes: [UInt8], _ query: String, _ type: String, _ person: LivePerson) async throws -> UUID {
        let id = UUID()
        let answer = try await anyServer().upload(bytes, "/v1/attachments/\(WireID(id))?\(query)", type, person)
        #expect(answer.status == .created, "\(answer.text)")
        return id
    }

    /// Somebody asks to be forgotten, and is.
    mutating func erase(_ person: LivePerson) async throws {
        let server = anyServer()
        let answer = try await server.ask(.delete, "/v1/me", person, ["password": "correct horse"])
        #expect(answer.status == .noContent, "\(answer.text)")
        #expect(try await server.ask(.get, "/v1/me", person).status == .unauthorized)
        // The answer waits for it only so long.
        _ = try await server.dependencies.eraser.finishAll()
        world.erase(person.id)
    }

    // MARK: Reading

    mutating func read() async throws {
        let room = path(anyRoom())
        let message = anyMessage().map { path($0.room, $0.sent) } ?? room
        let paths = [
            room, "\(room)/messages", "\(room)/participants", "\(room)/pins", "/v1/conversations", "/v1/sync",
            "/v1/starred",
            "/v1/scheduled", "/v1/blocks", message, "\(message)/receipts", "\(message)/history",
        ]
        let actor = anyone()
        if random.chance(20) {
            _ = try await ask(.post, "/v1/search", actor, ["query": .string("walk")], as: .search)
        } else {
            _ = try await ask(.get, paths[Int.random(in: paths.indices, using: &random)], actor, as: .read)
        }
    }

    // MARK: Choosing

    mutating func anyServer() -> LiveServer { servers[random.chance(50) ? 0 : 1] }

    mutating func anyone() -> LivePerson { people[Int.random(in: people.indices, using: &random)] }

    /// Somebody who is there, mostly.
    mutating func anyone(in room: UUID) -> LivePerson {
        let members = people.filter { world.rooms[room]?.members.contains($0.id) ?? false }
        guard random.chance(90), let member = members.randomElement(using: &random) else { return anyone() }
        return member
    }

    mutating func pair() -> (LivePerson, LivePerson) {
        let two = people.shuffled(using: &random)
        return (two[0], two[1])
    }

    func person(_ id: UUID) -> LivePerson { people.first { $0.id == id } ?? people[0] }

    mutating func anyRoom() -> UUID { rooms[Int.random(in: rooms.indices, using: &random)] }

    mutating func anyMessage() -> (room: UUID, sent: WalkWorld.Sent)? {
        let room = anyRoom()
        return world.rooms[room]?.messages.randomElement(using: &random).map { (room, $0) }
    }

    /// One of those that are so, if there are any.
    mutating func anyMessage(where isSo: (WalkWorld.Sent) -> Bool) -> (room: UUID, sent: WalkWorld.Sent)? {
        let found = rooms.flatMap { room in
            (world.rooms[room]?.messages ?? []).filter(isSo).map { (room: room, sent: $0) }
        }
        return found.randomElement(using: &random)
    }

    func path(_ room: UUID) -> String { "/v1/conversations/\(WireID(room))" }

    func path(_ room: UUID, _ message: WalkWorld.Sent) -> String {
        "\(path(room))/messages/\(WireID(message.id))"
    }

    // MARK: Asking

    /// At either server. What is refused is refused for a reason, and what is shown is what may be seen.
    ///
    /// - Parameters:
    ///   - command: what it counts as; nil for what changes nothing, or is counted otherwise.
    ///   - effect: what follows where it is done.
    mutating func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ person: LivePerson,
        _ body: JSONValue? = nil,
        as command: WalkCommand?,
        effect: (inout WalkWorld) -> Void = { _ in }
    ) async throws -> Answer {
        let answer = try await anyServer().ask(method, path, person, body)
        let refusals: [HTTPResponse.Status] = [.forbidden, .notFound, .conflict, .gone, .unprocessableContent]
        let isSlow = answer.status == .tooManyRequests && answer.text.contains("wait between two messages")
        #expect(answer.isDone || refusals.contains(answer.status) || isSlow, "\(method) \(path): \(answer.text)")
        if let command { tally.note(command, isDone: answer.isDone) }
        if answer.isDone { effect(&world) }
        let tooMuch = WalkWorld.tags(in: answer.text).filter { !world.isShown($0, to: person.id) }
        let what = world.description(of: tooMuch, for: person.id)
        #expect(tooMuch.isEmpty || !answer.isDone, "\(method) \(path) shows \(person.name) \(what)")
        return answer
    }
}

extension LivePerson {
    var wireID: String { WireID(id).description }
}

extension Answer {
    var isDone: Bool { status.kind == .successful }
}

extension LiveServer {
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ person: LivePerson,
        _ body: JSONValue? = nil
    ) async throws -> Answer {
        let text = try body.map { try String(json: $0) }
        return try await bring(
            method,
            path,
            text == nil ? [:] : [.contentType: "application/json"],
            text.map { ByteBuffer(string: $0) },
            person
        )
    }

    /// Uploads a file as it is.
    func upload(_ bytes: [UInt8], _ path: String, _ type: String, _ person: LivePerson) async throws -> Answer {
        try await bring(.put, path, [.contentType: type], ByteBuffer(bytes: bytes), person)
    }

    private func bring(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPFields,
        _ body: ByteBuffer?,
        _ person: LivePerson
    ) async throws -> Answer {
        var headers = headers
        headers[.authorization] = "Bearer \(person.token)"
        let response = try await client.execute(uri: path, method: method, headers: headers, body: body)
        return Answer(
            status: response.status,
            headers: response.headers,
            body: Data(response.body.readableBytesView)
        )
    }
}
