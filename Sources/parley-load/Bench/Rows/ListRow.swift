/// The first page of the conversation list of a person with a thousand conversations.
struct ListRow: BenchRow {
    private static let conversations = 1000

    func measure(_ subject: Subject) async throws -> [Finding] {
        let lists = try await ConversationLists.make(subject, conversations: Self.conversations)
        var runs: [LoadResult] = []
        for run in 1...subject.settings.runs {
            runs.append(try await lists.run("list \(run)/\(subject.settings.runs)"))
        }
        return [
            Finding(
                .list,
                "first page (50) of 1,000 conversations, p50",
                runs.map { $0.latencies.percentile(50) },
                .milliseconds,
                goal: .init(.figure, .atMost, bar: 15, aim: 5)
            ),
            Finding(.list, "the same, p99", runs.map { $0.latencies.percentile(99) }, .milliseconds),
        ]
    }
}
