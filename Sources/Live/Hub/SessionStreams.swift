import Foundation

/// The open streams by session; a session has at most so many.
struct SessionStreams {
    private var streams: [UUID: [Subscription]] = [:]
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var all: some Sequence<Subscription> { streams.values.joined() }

    var count: Int { streams.values.reduce(0) { $0 + $1.count } }

    /// - Returns: the session's oldest stream where the new one is one too many.
    mutating func open(_ subscription: Subscription) -> Subscription? {
        var open = streams[subscription.session] ?? []
        let replaced = open.count >= limit ? open.removeFirst() : nil
        open.append(subscription)
        streams[subscription.session] = open
        return replaced
    }

    mutating func close(_ subscription: Subscription) {
        streams[subscription.session]?.removeAll { $0 == subscription }
        if streams[subscription.session]?.isEmpty == true { streams[subscription.session] = nil }
    }

    func streams(of session: UUID) -> [Subscription] {
        streams[session] ?? []
    }
}
