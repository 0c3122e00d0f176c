import Foundation
import ParleyWire

/// Plays one group of the plan, step by step, and keeps what must follow from the answers.
actor GroupReplay {
    let group: GroupPlan
    let stage: Stage
    let derivation: Derivation
    /// What the answers so far imply.
    var expected: ExpectedConversation
    /// The present names of the people whom this group renamed.
    private(set) var names: [PersonNumber: String] = [:]
    /// Tokens to wait for before the read models are looked at: the group's newest, and one for each rename.
    private(set) var position: String?
    private(set) var renamePositions: [String] = []
    /// Those of commands given at the same time as the one with the newest: any of them may really be the newest.
    private(set) var rivalPositions: [String] = []

    init(group: GroupPlan, stage: Stage) {
        self.group = group
        self.stage = stage
        derivation = Derivation(seed: stage.plan.seed)
        expected = ExpectedConversation(
            id: group.conversationID,
            owner: stage.userID(group.owner),
            groupName: group.name,
            members: group.firstMembers.map(stage.userID)
        )
    }

    var path: String { "/v1/conversations/\(group.conversationID)" }

    func run() async throws {
        try await create()
        for step in group.steps {
            try Task.checkCancellation()
            try await play(step)
            stage.progress.advance()
        }
    }

    /// Takes the tokens of commands given at the same time, later than all those before.
    func moved(to positions: [String?]) {
        let known = positions.compactMap { $0 }
        guard let last = known.last else { return }
        position = last
        rivalPositions = known.dropLast()
    }

    private func create() async throws {
        let body = CreateGroupRequest(
            groupName: group.name,
            participantIds: group.firstMembers.map(stage.userID),
            joinPolicy: .open
        )
        let answer = try await stage.account(group.owner).send(.put(path, body))
        let wasCreated = stage.journal.isCreated(group: group.name)
        let mayBeThere = wasCreated || stage.journal.isContinued || stage.expectsFaults || answer.attempts > 1
        let isRight = answer.status == 201 ? !wasCreated : answer.status == 200 && mayBeThere
        stage.report.compare(
            .groups,
            isRight,
            "\(group.name): \(answer.summary), \(wasCreated ? "created before" : "new to the journal")"
        )
        guard answer.isSuccess else {
            throw APIFailure.unexpected(request: "create \(group.name)", answer: answer.summary)
        }
        let created = try answer.decode(Conversation.self)
        stage.report.compare(
            .groups,
            created.id == group.conversationID && created.type == .group,
            "\(group.name): answered as another"
        )
        if !wasCreated { try stage.journal.record(.created(group: group.name, position: answer.position)) }
        moved(to: [answer.position])
    }

    private func play(_ step: Step) async throws {
        switch step.action {
        case .send(let numbers):
            try await send(numbers)
            return
        // Connections belong to this process: they are disturbed again in each run.
        case .cut(let person): await stage.listeners[person]?.cut()
        case .stall(let person): await stage.listeners[person]?.stall()
        case .back(let person): await stage.listeners[person]?.comeBack()
        default:
            if stage.journal.isDone(step: step.id) {
                moved(to: [stage.journal.position(ofStep: step.id)])
            } else {
                let positions = try await perform(step)
                try stage.journal.record(.done(step: step.id, position: positions.last ?? nil))
                moved(to: positions)
            }
            imply(step.action)
        }
    }

    /// Asks the server, checks its answer, and returns the tokens of what were commands.
    private func perform(_ step: Step) async throws -> [String?] {
        switch step.action {
        case .resend(let number): [try await resend(number)]
        case .conflict(let number): [try await conflict(number)]
        case .join(let person): [try await join(person, step: step)]
        case .add(let person): [try await add(person)]
        case .remove(let person): [try await remove(person)]
        case .leave(let person): [try await leave(person, step: step)]
        case .intrude(let person): [try await intrude(person, step: step)]
        case .rename(let person, let name): [try await rename(person, to: name)]
        case .renameGroup(let name): [try await renameGroup(to: name)]
        case .receipts(let receipts): try await advance(receipts)
        case .spotCheck(let person): [try await spotCheck(person)]
        case .edit(let number, let text): [try await edit(number, to: text)]
        case .delete(let number, let person): [try await delete(number, by: person)]
        case .react(let number, let person, let emoji): [try await react(number, person, emoji)]
        case .unreact(let number, let person, let emoji): [try await unreact(number, person, emoji)]
        case .pin(let number): [try await pin(number)]
        case .unpin(let number): [try await unpin(number)]
        case .mute(let person, let time): [try await mute(person, until: time)]
        case .send, .cut, .stall, .back: []
        }
    }

    /// What follows from a step that was answered as it should be.
    private func imply(_ action: Action) {
        switch action {
        case .join(let person), .add(let person): expected.join(stage.userID(person))
        case .remove(let person), .leave(let person): expected.leave(stage.userID(person))
        case .rename(let person, let name): names[person] = name
        case .renameGroup(let name): expected.groupName = name
        case .receipts(let receipts):
            for receipt in receipts {
                let marks = marks(receipt)
                expected.advance(
                    stage.userID(receipt.person),
                    deliveredSeq: marks.delivered,
                    readSeq: marks.read
                )
            }
        case .edit(let number, let text): change(number) { $0.edit(text) }
        case .delete(let number, let person): change(number) { $0.delete(by: stage.userID(person)) }
        case .react(let number, let person, let emoji):
            change(number) { $0.react(ExpectedMessage.Reaction(emoji: emoji, person: stage.userID(person))) }
        case .unreact(let number, let person, let emoji):
            change(number) { $0.unreact(ExpectedMessage.Reaction(emoji: emoji, person: stage.userID(person))) }
        case .pin(let number): change(number) { $0.pin(by: stage.userID(group.owner)) }
        case .unpin(let number): change(number) { $0.pin(by: nil) }
        case .mute(let person, let time): expected.mute(stage.userID(person), until: time)
        case .send, .resend, .conflict, .intrude, .spotCheck, .cut, .stall, .back: break
        }
    }

    private func change(_ number: Int, _ body: (inout ExpectedMessage) -> Void) {
        expected.change(group.sends[number].id, body)
    }

    func marks(_ receipt: ReceiptPlan) -> (delivered: Int64?, read: Int64?) {
        let head = expected.headSeq
        return (receipt.deliveredBack.map { max(head - $0, 0) }, receipt.readBack.map { max(head - $0, 0) })
    }

    func renamed(at position: String?) {
        if let position { renamePositions.append(position) }
    }

    /// The name that a person of this group must have now.
    func presentName(_ person: PersonNumber) -> String {
        names[person] ?? stage.plan.people[person].credentials.displayName
    }
}
