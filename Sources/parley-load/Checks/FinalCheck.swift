import Foundation
import ParleyWire

/// Compares, over HTTP, everything that the server shows with what the journal implies.
struct FinalCheck {
    let stage: Stage
    let groups: [PlayedGroup]
    let width: Int
    private let numbers: [WireID: PersonNumber]

    init(stage: Stage, groups: [PlayedGroup], width: Int) {
        self.stage = stage
        self.groups = groups
        self.width = width
        numbers = Dictionary(stage.cast.userIDs.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    func run() async throws {
        try await waitForReadModels()
        stage.progress.begin("checking conversations", total: groups.count)
        _ = try await concurrentMap(groups, width: max(width / 8, 1)) { group in
            let check = GroupCheck(stage: stage, group: group, width: 8, numbers: numbers)
            try await check.run()
            stage.progress.advance()
        }
        try await checkLists()
        try await checkStreams()
        stage.progress.end()
    }

    /// Waits until the read models have all that was acknowledged: from there on, a GET needs no token.
    private func waitForReadModels() async throws {
        let account = stage.account(stage.plan.groups.first?.owner ?? 0)
        let positions = groups.flatMap(\.positions)
        stage.progress.begin("waiting for the read models", total: positions.count)
        _ = try await concurrentMap(positions, width: width) { position in
            let answer = try await account.send(.get("/v1/me", waitFor: position))
            guard answer.status == 200 else {
                throw APIFailure.unexpected(request: "waiting for a position", answer: answer.summary)
            }
            stage.progress.advance()
        }
    }

    /// Each list holds the conversations that its owner is a member of, and no other.
    private func checkLists() async throws {
        let speakers = groups.flatMap { group in group.plan.sends.map(\.sender).uniqued().prefix(12) }
        let people = (stage.plan.listeners + speakers).uniqued()
        stage.progress.begin("checking lists", total: people.count)
        _ = try await concurrentMap(people, width: width) { person in
            let userID = stage.userID(person)
            let listed: [Conversation] = try await stage.account(person).allPages("/v1/conversations") ?? []
            let implied = groups.filter { $0.expected.isMember(userID) }.map(\.plan.conversationID)
            stage.report.compare(
                .lists,
                listed.count == implied.count && Set(listed.map(\.id)) == Set(implied),
                "\(stage.name(person)): \(listed.count) conversations, implied \(implied.count)"
            )
            let activities = listed.map { $0.lastMessage?.timestamp ?? $0.createdAt }
            stage.report.compare(
                .lists,
                zip(activities, activities.dropFirst()).allSatisfy { $0 >= $1 },
                "\(stage.name(person)): the list is not by newest activity"
            )
            stage.progress.advance()
        }
    }

    /// Each stream brought what it had to, and its events lead from the first snapshot to a fresh one.
    private func checkStreams() async throws {
        stage.progress.begin("checking streams", total: stage.listeners.count)
        _ = try await concurrentMap(stage.listeners.values.map(\.self), width: width) { listener in
            let differences = try await listener.differencesFromFreshSnapshot(patience: stage.client.patience)
            stage.report.compare(.snapshots, differences: differences, of: listener.name)
            let seen = await listener.seen
            for group in groups where group.expected.spans[listener.userID] != nil {
                let check = StreamCheck(
                    expected: group.expected,
                    person: listener.userID,
                    birth: stage.journal.birth(of:)
                )
                stage.report.compare(
                    .streams,
                    differences: check.differences(of: seen.inConversation(group.plan.conversationID)),
                    of: "\(listener.name) in \(group.plan.name)"
                )
            }
            stage.progress.advance()
        }
    }
}

extension Sequence where Element: Hashable {
    /// Each element once, in the order of first appearance.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
