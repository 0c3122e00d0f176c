import Foundation
import HTTPTypes
import Identity
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Live

extension PresenceWalk {
    // MARK: Beginning

    /// Four people with two devices each, three of them in a group.
    func begin() async throws {
        try await start()
        try await start()
        let server = running[0].server
        var people: [LivePerson] = []
        for number in 0..<4 {
            let email = "\(UUID().uuidString.lowercased())@example.org"
            let password = Secret("correct horse")
            let one = try await server.identity.register(
                Registration(email: email, password: password, displayName: "Person \(number)")
            )
            let other = try await server.identity.login(Login(email: email, password: password))
            for signedIn in [one, other] {
                let person = LivePerson(
                    id: signedIn.userID,
                    name: "Person \(number)",
                    session: signedIn.session.id,
                    token: signedIn.accessToken.exposed
                )
                devices[Device(person: person.id, session: person.session)] = person
                if signedIn.session.id == one.session.id { people.append(person) }
            }
        }
        model = PresenceModel(people: people.map(\.id))
        for one in running { model.starts(one.id) }
        let group = try await server.startGroup(Array(people.prefix(3)))
        let members = Set(people.prefix(3).map(\.id))
        model.conversations = [.init(id: group, members: members, isDirect: false)]
        try await step("began") {}
        for device in inOrder { try await subscribe(device, at: running[0], to: model.people) }
        for (number, device) in inOrder.prefix(5).enumerated() { try await open(device, at: running[number % 2]) }
    }

    var inOrder: [Device] {
        devices.sorted { ($0.value.name, $0.key.session.uuidString) < ($1.value.name, $1.key.session.uuidString) }
            .map(\.key)
    }

    // MARK: Commands

    /// Something that can be done, as it comes.
    func next() async throws {
        let before = steps.count
        while steps.count == before { try await attempt() }
    }

    private func attempt() async throws {
        // Mostly those who are there.
        let here = watching.map(\.device)
        guard let device = pick(random.chance(75) && !here.isEmpty ? here : inOrder), let one = pick(running) else {
            return try await startAgain()
        }
        if running.count < 2, random.chance(25) { return try await startAgain() }
        if model.isCut, random.chance(20) { return try await cutOrMend() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: try await open(device, at: one)
        case 14..<20: try await close()
        case 20..<32: try await say(device, at: one)
        case 32..<40: try await subscribe(device, at: one, to: model.people.filter { _ in random.chance(60) })
        case 40..<58: try await chat()
        case 58..<65: try await block(device, at: one)
        case 65..<70: try await hide(device, at: one)
        case 70..<78: try await leaveOrJoin(one)
        case 78..<82: try await startDirect(device, at: one)
        case 82..<90: try await pass(pick([3, 12, 20, 45, 90, 130, 270, 320]) ?? 3)
        case 90..<93: try await isActiveMeanwhile(device, at: one)
        case 93..<97:
            guard !model.isCut, running.count == 2 else { return }
            try await cutOrMend()
            try await pass(pick([3, 45, 60, 75, 90]) ?? 3)
        default:
            guard running.count == 2 else { return }
            try await killOne()
            try await pass(pick([3, 45, 60, 75, 90]) ?? 3)
        }
    }

    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int.random(in: elements.indices, using: &random)]
    }

    func name(_ device: Device) -> String { "\(device.person) (\(device.session))" }

    private func open(_ device: Device, at one: Running) async throws {
        guard watching.count < 6, !watching.contains(where: { $0.device == device && $0.server == one.id }),
            let person = devices[device]
        else { return }
        try await step("\(name(device)) opens a stream at \(one.id)") {
            let stream = try await one.server.readyStream(of: person)
            model.opened(device, at: one.id)
            watching.append(Watching(stream: stream, server: one.id, device: device))
        }
    }

    private func close() async throws {
        guard let place = pick(Array(watching.indices)) else { return }
        let gone = watching[place]
        try await step("\(name(gone.device)) closes its stream") {
            watching.remove(at: place)
            gone.stream.cut()
            // The server has noticed before anything else happens.
            try await waitUntilCurrent()
            model.closed(gone.device, at: gone.server)
        }
    }

    private func say(_ device: Device, at one: Running) async throws {
        let word = pick([Status.online, .away, .away, .offline]) ?? .online
        try await step("\(name(device)) says \(word)") {
            try await ask(.put, "me/presence", #"{"status": "\#(word.wire.rawValue)"}"#, by: device, at: one)
            model.says(word, device, at: one.id)
        }
    }

    private func subscribe(_ device: Device, at one: Running, to people: [UUID]) async throws {
        // What a server does not hear of counts there with the next stream.
        if model.isCut, watching.contains(where: { $0.device == device && $0.server != one.id }) { return }
        let ids = people.map { #""\#(WireID($0))""# }.joined(separator: ",")
        try await step("\(name(device)) asks for \(people)") {
            try await ask(.put, "presence/subscriptions", #"{"userIds": [\#(ids)]}"#, by: device, at: one)
            model.subscriptions[device.session] = people
            for place in watching.indices where watching[place].device == device {
                let targets = model.targets(of: device)
                watching[place].shown = watching[place].shown.filter { targets.contains($0.key) }
                watching[place].perhaps = []
            }
        }
    }

    /// Time goes by in which somebody does something at another server than that of the stream.
    private func isActiveMeanwhile(_ device: Device, at one: Running) async throws {
        try await pass(200)
        try await step("\(name(device)) does something at \(one.id)") {
            try await ask(.put, "me/presence", #"{"status": "online"}"#, by: device, at: one)
            model.says(.online, device, at: one.id)
        }
        try await pass(150)
        try await step("\(name(device)) does more at \(one.id)") {
            let ids = (model.subscriptions[device.session] ?? []).map { #""\#(WireID($0))""# }.joined(separator: ",")
            try await ask(.put, "presence/subscriptions", #"{"userIds": [\#(ids)]}"#, by: device, at: one)
        }
        try await pass(200)
    }

    private func block(_ device: Device, at one: Running) async throws {
        guard let other = pick(model.people.filter { $0 != device.person }) else { return }
        let block = PresenceModel.Pair(one: device.person, other: other)
        let isBlocked = model.blocks.contains(block)
        try await step("\(name(device)) \(isBlocked ? "unblocks" : "blocks") \(other)") {
            try await ask(isBlocked ? .delete : .put, "blocks/\(WireID(other))", by: device, at: one)
            if isBlocked { model.blocks.remove(block) } else { model.blocks.insert(block) }
        }
    }

    private func hide(_ device: Device, at one: Running) async throws {
        let isHidden = model.hidden.contains(device.person)
        try await step("\(name(device)) \(isHidden ? "shows itself" : "hides")") {
            let body = #"{"settings": {"showPresence": \#(isHidden)}}"#
            try await ask(.patch, "me", body, by: device, at: one)
            if isHidden { model.hidden.remove(device.person) } else { model.hidden.insert(device.person) }
        }
    }

    private func leaveOrJoin(_ one: Running) async throws {
        let group = model.conversations[0]
        let (owner, others) = (model.people[0], model.people.dropFirst())
        guard let person = pick(Array(others)), let device = anyDevice(of: person), let admin = anyDevice(of: owner),
            let (joining, adding) = devices[device].flatMap({ joining in devices[admin].map { (joining, $0) } })
        else { return }
        let isMember = group.members.contains(person)
        try await step("\(name(device)) \(isMember ? "leaves" : "is added to") the group") {
            guard isMember else {
                try await one.server.add(joining, to: group.id, by: adding)
                model.conversations[0].members.insert(person)
                for place in watching.indices {
                    let viewer = watching[place].device.person
                    if viewer == person { watching[place].perhaps.formUnion(group.members) }
                    if group.members.contains(viewer) { watching[place].perhaps.insert(person) }
                }
                return
            }
            try await ask(.post, "conversations/\(WireID(group.id))/leave", by: device, at: one)
            model.conversations[0].members.remove(person)
        }
    }

    private func anyDevice(of person: UUID) -> Device? {
        devices.keys.filter { $0.person == person }.min { $0.session.uuidString < $1.session.uuidString }
    }

    private func startDirect(_ device: Device, at one: Running) async throws {
        guard let other = pick(model.people.filter { $0 != device.person }), !model.isBlocked(device.person, other)
        else { return }
        let members: Set = [device.person, other]
        guard !model.conversations.contains(where: { $0.isDirect && $0.members == members }) else { return }
        try await step("\(name(device)) begins with \(other)") {
            let answer = try await ask(.put, "conversations/direct/\(WireID(other))", by: device, at: one)
            let id = try WireJSON.decoder().decode(Conversation.self, from: Data(answer.readableBytesView)).id
            model.conversations.append(.init(id: id.uuid, members: members, isDirect: true))
        }
    }

    private func pass(_ seconds: Int) async throws {
        try await step("\(seconds) s pass", passing: seconds) {}
    }

    private func cutOrMend() async throws {
        try await step(model.isCut ? "the servers hear each other again" : "the servers hear nothing of each other") {
            if model.isCut {
                model.mend()
                links.mend()
            } else {
                links.cut()
                model.cut()
            }
        }
    }

    private func killOne() async throws {
        let place = Int.random(in: running.indices, using: &random)
        try await step("\(running[place].id) is killed") { try await kill(place) }
    }

    private func startAgain() async throws {
        try await step("a server starts") { try await start() }
    }
}
