import Foundation
import ParleyWire

extension GroupReplay {
    /// Several people say at once how far they are, and must be told what follows.
    func advance(_ receipts: [ReceiptPlan]) async throws -> [String?] {
        let conversationID = group.conversationID
        let answers = try await withThrowingTaskGroup(of: (PersonNumber, APIAnswer).self) { tasks in
            for receipt in receipts {
                let marks = marks(receipt)
                let advance = ReceiptsRequest.Advance(
                    conversationId: conversationID,
                    deliveredSeq: marks.delivered,
                    readSeq: marks.read
                )
                let request = try APIRequest.post("/v1/receipts", ReceiptsRequest(receipts: [advance]))
                let account = stage.account(receipt.person)
                tasks.addTask { (receipt.person, try await account.send(request)) }
            }
            var answers: [PersonNumber: APIAnswer] = [:]
            for try await (person, answer) in tasks { answers[person] = answer }
            return answers
        }
        for receipt in receipts {
            guard let answer = answers[receipt.person] else { continue }
            let person = stage.userID(receipt.person)
            var after = expected
            let marks = marks(receipt)
            after.advance(person, deliveredSeq: marks.delivered, readSeq: marks.read)
            guard let span = after.current(person) else { continue }
            let item = ReceiptsAnswer.Item(
                conversationId: conversationID,
                deliveredSeq: span.deliveredSeq,
                readSeq: span.readSeq,
                unreadCount: after.unreadCount(of: person)
            )
            let answered = (try? answer.decode(ReceiptsAnswer.self))?.items ?? []
            stage.report.compare(
                .receiptAnswers,
                answer.status == 200 && answered == [item],
                "\(group.name) \(stage.name(receipt.person)): \(answer.summary) \(answered.map(\.text)), "
                    + "implied \(item.text)"
            )
        }
        return answers.values.map(\.position)
    }

    /// Checks the conversation and its newest page, as a member, with the newest token.
    func spotCheck(_ person: PersonNumber) async throws -> String? {
        let account = stage.account(person)
        for rival in rivalPositions { _ = try await account.send(.get("/v1/me", waitFor: rival)) }
        let conversation = try await account.send(.get(path, waitFor: position))
        let history = try await account.send(.get("\(path)/messages?limit=30", waitFor: position))
        guard conversation.status == 200, history.status == 200 else {
            stage.report.fail(
                .spotChecks,
                "\(group.name) \(stage.name(person)): \(conversation.summary), \(history.summary)"
            )
            return nil
        }
        let comparison = ConversationComparison(expected: expected, person: stage.userID(person))
        stage.report.compare(
            .spotChecks,
            differences: comparison.differences(of: try conversation.decode(Conversation.self)),
            of: "\(group.name) \(stage.name(person))"
        )
        let page = try history.decode(HistoryPage.self)
        let shown = page.items.filter { $0.kind != .system }.map(\.id)
        stage.report.compare(
            .spotChecks,
            shown == expected.messages.suffix(page.page.hasOlder ? shown.count : 30).map(\.id),
            "\(group.name) \(stage.name(person)): the newest page has seq \(page.items.compactMap(\.seq)), "
                + "the newest is \(expected.headSeq)"
        )
        let check = HistoryCheck(expected: expected, reader: stage.userID(person))
        for message in page.items where message.kind != .system {
            stage.report.compare(
                .spotChecks,
                differences: check.differences(of: message),
                of: "\(group.name) \(stage.name(person)) seq \(message.seq.text)"
            )
        }
        return nil
    }
}

extension ReceiptsAnswer.Item {
    var text: String {
        code ?? "delivered \(deliveredSeq.text) read \(readSeq.text) unread \(unreadCount.text)"
    }
}
