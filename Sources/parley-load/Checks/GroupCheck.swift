import Foundation
import ParleyWire

/// Compares one group, over HTTP, with what the journal implies.
struct GroupCheck: Sendable {
    let stage: Stage
    let group: PlayedGroup
    let width: Int
    let numbers: [WireID: PersonNumber]

    /// Silent people of a group beyond so many are all alike.
    private static let mostSilent = 20
    private static let messagesPerAuthor = 3

    var expected: ExpectedConversation { group.expected }
    var name: String { group.plan.name }

    func run() async throws {
        try await checkHistory()
        try await checkMembers()
        try await checkNewestPages()
        try await checkPins()
        try await checkPictures()
        try await checkSearch()
        try await checkFormerMembers()
        try await checkOwnMessages()
        try await checkMessageReceipts()
        try await checkParticipants()
    }

    /// Reads the whole history backwards, then forwards, as the owner.
    private func checkHistory() async throws {
        let reader = HistoryReader(account: stage.account(group.plan.owner), path: group.path)
        let (history, oldest) = try await reader.readBackwards()
        let check = HistoryCheck(expected: expected, reader: expected.owner)
        stage.report.compare(.history, differences: check.orderDifferences(of: history), of: name)
        for message in history where message.kind != .system {
            stage.report.compare(
                .messages,
                differences: check.differences(of: message),
                of: "\(name) seq \(message.seq.text)"
            )
        }
        let forwards = try await reader.readForwards(from: oldest)
        stage.report.compare(
            .pagesBack,
            forwards.map(\.id) == history.map(\.id),
            "\(name): \(forwards.count) messages forwards, \(history.count) backwards"
        )
    }

    private func checkMembers() async throws {
        _ = try await concurrentMap(people(expected.members), width: width) { person in
            let userID = stage.userID(person)
            let answer = try await stage.account(person).send(.get(group.path))
            guard answer.status == 200 else {
                stage.report.fail(.conversations, "\(name) \(stage.name(person)): \(answer.summary)")
                return
            }
            let conversation = try answer.decode(Conversation.self)
            let comparison = ConversationComparison(expected: expected, person: userID)
            let marks = comparison.markDifferences(of: conversation)
            stage.report.compare(.marks, differences: marks, of: "\(name) \(stage.name(person))")
            let others = comparison.differences(of: conversation).filter { !marks.contains($0) }
            stage.report.compare(.conversations, differences: others, of: "\(name) \(stage.name(person))")
        }
    }

    /// Former members still see their conversation, and its history up to the end of their stay.
    private func checkFormerMembers() async throws {
        _ = try await concurrentMap(people(expected.formerMembers), width: width) { person in
            let last = expected.spans[stage.userID(person)]?.last?.toSeq ?? 0
            let conversation = try await stage.account(person).send(.get(group.path))
            let answer = try await stage.account(person).send(.get("\(group.path)/messages?limit=50"))
            let page = try? answer.decode(HistoryPage.self)
            let shown = page?.items.filter { $0.kind != .system }.map(\.id) ?? []
            let count = page?.page.hasOlder == true ? shown.count : 50
            let implied = expected.messages.filter { $0.seq <= last }.suffix(count).map(\.id)
            stage.report.compare(
                .formerMembers,
                conversation.status == 200 && answer.status == 200 && shown == implied,
                "\(name) \(stage.name(person)): \(conversation.summary), \(answer.summary), "
                    + "newest seq \((page?.items.last?.seq).text), implied \(last)"
            )
        }
    }

    /// Authors see how far their own messages have come.
    private func checkOwnMessages() async throws {
        let byAuthor = Dictionary(grouping: expected.messages, by: \.sender).filter { expected.isMember($0.key) }
        let authors = byAuthor.keys.sorted()
        _ = try await concurrentMap(authors, width: width) { author in
            guard let person = numbers[author], let messages = byAuthor[author] else { return }
            for message in spread(messages, Self.messagesPerAuthor) {
                let answer = try await stage.account(person).send(.get("\(group.path)/messages/\(message.id)"))
                guard answer.status == 200 else {
                    stage.report.fail(.ownMessages, "\(name) seq \(message.seq): \(answer.summary)")
                    continue
                }
                let check = ReceiptsCheck(expected: expected.receipts(of: message))
                stage.report.compare(
                    .ownMessages,
                    differences: check.differences(of: try answer.decode(Message.self)),
                    of: "\(name) seq \(message.seq)"
                )
            }
        }
    }

    private func checkMessageReceipts() async throws {
        let owner = stage.account(group.plan.owner)
        _ = try await concurrentMap(spread(expected.messages, 6), width: width) { message in
            let path = "\(group.path)/messages/\(message.id)/receipts"
            let receipts: [MessageReceipt] = try await owner.allPages(path, limit: 100) ?? []
            let check = ReceiptsCheck(expected: expected.receipts(of: message))
            stage.report.compare(
                .messageReceipts,
                differences: check.differences(of: receipts),
                of: "\(name) seq \(message.seq)"
            )
        }
    }

    private func checkParticipants() async throws {
        let path = "\(group.path)/participants"
        let listed: [Participant] = try await stage.account(group.plan.owner).allPages(path, limit: 37) ?? []
        let implied = Set(expected.members)
        stage.report.compare(
            .participants,
            Set(listed.map(\.userId)) == implied && listed.count == implied.count,
            "\(name): \(listed.count) listed, implied \(implied.count)"
        )
        for participant in listed {
            guard let person = numbers[participant.userId] else { continue }
            let present = group.names[person] ?? stage.plan.people[person].credentials.displayName
            stage.report.compare(
                .participants,
                participant.displayName == present
                    && participant.role == (participant.userId == expected.owner ? .owner : .member),
                "\(name): \(participant.displayName.text) (\(participant.role.rawValue)), implied \(present)"
            )
        }
    }

    /// People of the plan: all who speak, and some of those who do not.
    func people(_ userIDs: [WireID]) -> [PersonNumber] {
        let all = userIDs.compactMap { numbers[$0] }.sorted()
        let speaking = Set(group.plan.sends.map(\.sender))
        return all.filter { speaking.contains($0) } + spread(all.filter { !speaking.contains($0) }, Self.mostSilent)
    }

    /// So many of them, evenly spread.
    func spread<Element>(_ elements: [Element], _ count: Int) -> [Element] {
        guard elements.count > count, count > 1 else { return Array(elements.prefix(count)) }
        return (0..<count).map { elements[$0 * (elements.count - 1) / (count - 1)] }
    }
}
