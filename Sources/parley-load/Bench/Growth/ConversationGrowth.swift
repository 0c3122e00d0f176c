/// One person is in more and more conversations.
struct ConversationGrowth: Growth {
    private static let sizes = [10, 1000, 10_000]

    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve {
        let settings = subject.settings
        var curve = Curve(.conversations, "One person's conversations grow", axis: "conversations")
        for size in Self.sizes where size <= limit ?? (settings.quick ? 1000 : 10_000) {
            let lists = try await ConversationLists.make(subject, conversations: size)
            let label = "\(size) conversations"
            let list = try await lists.run("\(label): list")
            let unread = try await subject.gets(
                "/v1/conversations?filter=unread",
                by: lists.person,
                "\(label): unread"
            )
            // The person sends, into as many of the conversations as there are connections.
            let sends = SaturatedSends(
                subject: subject,
                groups: Array(lists.groups.prefix(settings.connections)),
                senders: 1
            )
            let result = try await sends.run("\(label): sends", seconds: settings.seconds)
            curve.add(
                size,
                [
                    .init("list p50", list.latencies.percentile(50), .milliseconds),
                    .init("list p99", list.latencies.percentile(99), .milliseconds),
                    .init("unread p50", unread.latencies.percentile(50), .milliseconds),
                    .init("sends", result.rate, .perSecond),
                ]
            )
        }
        return curve
    }
}
