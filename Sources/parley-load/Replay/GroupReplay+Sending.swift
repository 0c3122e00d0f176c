import Foundation
import ParleyWire

extension GroupReplay {
    /// Sends messages at the same time, some of them twice.
    func send(_ numbers: [Int]) async throws {
        let plans = numbers.map { group.sends[$0] }
        for plan in plans { try await upload(plan) }
        let answers = try await withThrowingTaskGroup(of: (WireID, APIAnswer).self) { tasks in
            for plan in plans {
                for _ in 0..<(plan.isDoubled ? 2 : 1) {
                    tasks.addTask { (plan.id, try await self.put(plan, text: plan.text)) }
                }
            }
            var answers: [WireID: [APIAnswer]] = [:]
            for try await (id, answer) in tasks { answers[id, default: []].append(answer) }
            return answers
        }
        let head = expected.headSeq
        let recipients = expected.members.count - 1
        var sent: [ExpectedMessage] = []
        for plan in plans {
            guard let message = try acknowledge(plan, answers[plan.id] ?? []) else { continue }
            stage.report.compare(
                .sends,
                (head + 1...head + Int64(plans.count)).contains(message.expected.seq),
                "\(group.name) \(plan.id): seq \(message.expected.seq) after \(head)"
            )
            stage.report.compare(
                .sends,
                differences(of: message.answer, from: plan, recipients: recipients).isEmpty,
                "\(group.name) \(plan.id): "
                    + differences(of: message.answer, from: plan, recipients: recipients).joined(separator: "; ")
            )
            sent.append(message.expected)
        }
        expected.sent(sent)
        moved(to: answers.values.flatMap { $0 }.map(\.position))
    }

    private func put(_ plan: SendPlan, text: String) async throws -> APIAnswer {
        let body = SendMessageRequest(
            text: text,
            clientTimestamp: plan.clientTimestamp,
            replyToId: plan.replyTo,
            mentions: plan.mentions.isEmpty ? nil : plan.mentions.map { .user(stage.userID($0)) },
            attachmentIds: pictureID(plan).map { [$0] }
        )
        return try await stage.account(plan.sender).send(.put("\(path)/messages/\(plan.id)", body))
    }

    private struct Sent {
        let answer: Message
        let expected: ExpectedMessage
    }

    /// Takes the server's word for a message; nil, and a failed check, where it gave none.
    private func acknowledge(_ plan: SendPlan, _ answers: [APIAnswer]) throws -> Sent? {
        let known = stage.journal.acknowledgement(of: plan.id)
        let created = answers.count { $0.status == 201 }
        let wasSure = !stage.expectsFaults && answers.allSatisfy { $0.attempts == 1 }
        guard let first = answers.first(where: { $0.status == 201 }) ?? answers.first, first.isSuccess else {
            stage.report.fail(.sends, "\(group.name) \(plan.id): \(answers.map(\.summary).joined(separator: ", "))")
            return nil
        }
        let message = try first.decode(Message.self)
        guard let seq = message.seq else {
            stage.report.fail(.sends, "\(group.name) \(plan.id): acknowledged without a seq")
            return nil
        }
        for answer in answers {
            let other = try? answer.decode(Message.self)
            stage.report.compare(
                .repeats,
                answer.isSuccess && other?.seq == seq && other?.timestamp == message.timestamp,
                "\(group.name) \(plan.id) sent twice at once: seq \(seq) and \(answer.summary) \((other?.seq).text)"
            )
        }
        // A first word is 201 once; a later one, or one after a lost answer, may be 200.
        let isNew = known == nil && (!stage.journal.isContinued || created > 0)
        stage.report.compare(
            .sends,
            known != nil ? created == 0 : created == 1 || created == 0 && (!wasSure || stage.journal.isContinued),
            "\(group.name) \(plan.id): \(created) times 201, \(known == nil ? "new" : "known") to the journal"
        )
        let birth: Acknowledgement.Birth = isNew ? .now : wasSure ? .before : .unknown
        let word = Acknowledgement(
            message: plan.id,
            seq: seq,
            timestamp: message.timestamp,
            position: first.position,
            birth: birth
        )
        try stage.journal.record(.acknowledged(word))
        if let known {
            stage.report.compare(
                .repeats,
                known.seq == seq && known.timestamp == message.timestamp,
                "\(group.name) \(plan.id): was seq \(known.seq) at \(Timestamp.format(known.timestamp)), "
                    + "is \(seq) at \(Timestamp.format(message.timestamp))"
            )
        }
        return Sent(answer: message, expected: expectedMessage(plan, seq: seq, timestamp: message.timestamp))
    }

    private func expectedMessage(_ plan: SendPlan, seq: Int64, timestamp: Date) -> ExpectedMessage {
        ExpectedMessage(
            id: plan.id,
            seq: seq,
            sender: stage.userID(plan.sender),
            text: plan.text,
            replyTo: plan.replyTo,
            mentions: plan.mentions.map(stage.userID),
            picture: pictureID(plan),
            clientTimestamp: plan.clientTimestamp,
            timestamp: timestamp
        )
    }

    private func differences(of message: Message, from plan: SendPlan, recipients: Int) -> [String] {
        var differences: [String] = []
        if message.id != plan.id || message.localId != plan.id { differences.append("id \(message.id)") }
        if message.conversationId != group.conversationID { differences.append("another conversation") }
        if message.senderId != stage.userID(plan.sender) { differences.append("sender \(message.senderId)") }
        if message.clientTimestamp != plan.clientTimestamp { differences.append("other clientTimestamp") }
        // A repetition shows what has become of it since, which the histories are held to at the end.
        guard stage.journal.birth(of: plan.id) == .now else { return differences }
        if !message.text.isIdentical(to: plan.text) { differences.append("other words") }
        if Set(message.mentions) != Set(plan.mentions.map { .user(stage.userID($0)) }) {
            differences.append("other mentions")
        }
        if message.replyTo?.id != plan.replyTo { differences.append("replyTo \((message.replyTo?.id).text)") }
        if message.recipientCount != recipients {
            differences.append("recipientCount \(message.recipientCount.text), members imply \(recipients)")
        }
        return differences
    }

    /// Sends an old message again: the same place and time, and no second message.
    func resend(_ number: Int) async throws -> String? {
        let plan = group.sends[number]
        let answer = try await put(plan, text: plan.text)
        let message = try? answer.decode(Message.self)
        let known = stage.journal.acknowledgement(of: plan.id)
        stage.report.compare(
            .repeats,
            answer.status == 200 && message?.seq == known?.seq && message?.timestamp == known?.timestamp,
            "\(group.name) \(plan.id) sent again: \(answer.summary), "
                + "seq \((message?.seq).text), was \((known?.seq).text)"
        )
        return answer.position
    }

    /// Sends other words under a used id.
    func conflict(_ number: Int) async throws -> String? {
        let plan = group.sends[number]
        let answer = try await put(plan, text: plan.text + "!")
        stage.report.compare(
            .conflicts,
            answer.status == 409 && answer.problem?.knownCode == .idConflict,
            "\(group.name) \(plan.id): \(answer.summary)"
        )
        return nil
    }

    /// Tries to send as a former member.
    func intrude(_ person: PersonNumber, step: Step) async throws -> String? {
        let id = derivation.id("intruder/\(step.id)", at: Date())
        let body = SendMessageRequest(text: "let me in")
        let answer = try await stage.account(person).send(.put("\(path)/messages/\(id)", body))
        stage.report.compare(
            .intruders,
            answer.status == 403 && answer.problem?.knownCode == .forbidden,
            "\(group.name) \(stage.name(person)): \(answer.summary)"
        )
        return nil
    }
}

extension String {
    /// The same scalars: Swift's `==` also holds for other spellings of the same characters.
    func isIdentical(to other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension Optional<String> {
    func isIdentical(to other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isIdentical(to: other)
    }
}
