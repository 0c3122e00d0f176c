import ParleyWire

extension GroupCheck {
    /// Every member's own view of the newest messages: the caller's reactions and receipts differ from person to person.
    func checkNewestPages() async throws {
        _ = try await concurrentMap(people(expected.members), width: width) { person in
            let target = "\(group.path)/messages?limit=200"
            let answer = try await stage.account(person).send(.get(target))
            guard answer.status == 200 else {
                stage.report.fail(.newestPages, "\(name) \(stage.name(person)): \(answer.summary)")
                return
            }
            let page = try answer.decode(HistoryPage.self).items.filter { $0.kind != .system }
            let check = HistoryCheck(expected: expected, reader: stage.userID(person))
            let isNewest = page.map(\.id) == expected.messages.suffix(page.count).map(\.id)
            let differences = page.flatMap { message in
                check.differences(of: message).map { "seq \(message.seq.text): \($0)" }
            }
            stage.report.compare(
                .newestPages,
                differences: (isNewest ? [] : ["not the newest messages"]) + differences,
                of: "\(name) \(stage.name(person))"
            )
        }
    }

    func checkPins() async throws {
        let pinned: [Message] = try await stage.account(group.plan.owner).allPages("\(group.path)/pins", limit: 3) ?? []
        let implied = expected.messages.filter { $0.pinnedBy != nil }
        stage.report.compare(
            .pinnedMessages,
            pinned.count == implied.count && Set(pinned.map(\.id)) == Set(implied.map(\.id)),
            "\(name): \(pinned.count) pinned, implied \(implied.count)"
        )
        let check = HistoryCheck(expected: expected, reader: expected.owner)
        for message in pinned {
            stage.report.compare(
                .pinnedMessages,
                differences: check.differences(of: message),
                of: "\(name) seq \(message.seq.text)"
            )
        }
    }
}
