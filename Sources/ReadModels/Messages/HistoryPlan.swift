import ParleyWire

/// Which piece of one history is to be read: up to `limit` items that meet at a place.
struct HistoryPlan {
    enum Reach {
        /// The items before the place.
        case older
        /// Those from it on.
        case newer
        /// Half of each, more of one where there are not enough of the other.
        case around
    }

    let access: HistoryAccess
    let split: HistoryKey
    let reach: Reach
    let limit: Int

    /// The newest items.
    static func newest(_ limit: Int, of access: HistoryAccess) -> HistoryPlan {
        HistoryPlan(access: access, split: .end, reach: .older, limit: limit)
    }

    /// How many system messages to read before the place and from it on: one more than are asked for, to know whether
    /// there are more.
    ///
    /// - Parameter most: no more than so many are asked for.
    func systemMessageLimits(atMost most: Int) -> (older: Int, newer: Int) {
        let some = min(limit, max(1, most)) + 1
        return (reach == .newer ? 1 : some, reach == .older ? 1 : some)
    }

    /// Chooses the items, given the system messages on both sides of the place, the nearest first.
    func selection(older: [HistoryItem], newer: [HistoryItem], atMost most: Int) -> HistorySelection {
        let limits = systemMessageLimits(atMost: most)
        var back = HistorySide(messagesOlderThan: split, in: access, older, isMore: older.count == limits.older)
        var forth = HistorySide(messagesFrom: split, in: access, newer, isMore: newer.count == limits.newer)
        switch reach {
        case .older: back.take(limit)
        case .newer: forth.take(limit)
        case .around:
            back.take(limit / 2)
            forth.take(limit - back.count)
            back.take(limit - forth.count - back.count)
        }
        return HistorySelection(plan: self, older: back, newer: forth)
    }
}

/// The items on one side of a place, the nearest first: messages, which follow each other, and system messages between
/// them.
struct HistorySide {
    private let step: Int64
    private var rest: ClosedRange<Int64>?
    private var systemRest: ArraySlice<HistoryItem>
    /// Whether the last of the system messages stands for more behind it: nothing is taken from there on.
    private let isMore: Bool
    private(set) var seqs: [Int64] = []
    private(set) var systemMessages: [HistoryItem] = []

    init(messagesOlderThan split: HistoryKey, in access: HistoryAccess, _ items: [HistoryItem], isMore: Bool) {
        let last = min(access.ceiling, split.position == 0 ? split.seq - 1 : split.seq)
        self.init(first: access.floor + 1, last: last, step: -1, items, isMore)
    }

    init(messagesFrom split: HistoryKey, in access: HistoryAccess, _ items: [HistoryItem], isMore: Bool) {
        let place = min(split.seq, access.ceiling + 1)
        let first = max(access.floor + 1, split.position == 0 ? place : place + 1)
        self.init(first: first, last: access.ceiling, step: 1, items, isMore)
    }

    private init(first: Int64, last: Int64, step: Int64, _ items: [HistoryItem], _ isMore: Bool) {
        self.step = step
        rest = first <= last ? first...last : nil
        systemRest = items[...]
        self.isMore = isMore
    }

    var count: Int { seqs.count + systemMessages.count }

    /// Whether something lies behind what was taken.
    var hasMore: Bool { rest != nil || !systemRest.isEmpty }

    mutating func take(_ most: Int) {
        for _ in 0..<max(0, most) {
            let seq = step < 0 ? rest?.upperBound : rest?.lowerBound
            let system = systemRest.first
            if let system, seq.map({ (HistoryKey($0) < system.key) == (step < 0) }) ?? true {
                if isMore, systemRest.count == 1 { return }
                systemMessages.append(system)
                systemRest = systemRest.dropFirst()
            } else if let seq {
                seqs.append(seq)
                rest = remaining
            } else {
                return
            }
        }
    }

    private var remaining: ClosedRange<Int64>? {
        guard let rest, rest.count > 1 else { return nil }
        return step < 0 ? rest.lowerBound...(rest.upperBound - 1) : (rest.lowerBound + 1)...rest.upperBound
    }
}

/// What a page is to hold, before its messages are read.
struct HistorySelection {
    let plan: HistoryPlan
    private let older: HistorySide
    private let newer: HistorySide

    init(plan: HistoryPlan, older: HistorySide, newer: HistorySide) {
        self.plan = plan
        self.older = older
        self.newer = newer
    }

    /// In order.
    var systemMessages: [HistoryItem] { older.systemMessages.reversed() + newer.systemMessages }

    /// The messages.
    var range: MessageRange {
        let first = older.seqs.last ?? newer.seqs.first ?? 1
        let last = newer.seqs.last ?? older.seqs.first ?? 0
        let anchor =
            switch plan.reach {
            case .older: last
            case .newer: first
            case .around: min(max(plan.split.seq, first), last)
            }
        let access = plan.access
        return MessageRange(
            conversation: access.conversation,
            first: first,
            last: last,
            floor: access.floor,
            until: access.until,
            anchor: anchor
        )
    }

    /// The page, of those of the messages that an answer could hold.
    func page(of messages: [Message], users: [WireID: UserSummary]?) -> HistoryPage {
        let range = range
        let first = messages.first?.seq ?? (plan.reach == .newer ? range.first : range.last + 1)
        let last = messages.last?.seq ?? (plan.reach == .newer ? range.first - 1 : range.last)
        // Where messages are left out, so is what lies behind them.
        let kept = systemMessages.filter { item in
            range.isEmpty
                || (first == range.first || item.key.seq >= first || messages.isEmpty && item.key.seq >= range.last)
                    && (last == range.last || item.key.seq <= last)
        }
        let items = Self.merged(messages, kept)
        let hasOlder = older.hasMore || !range.isEmpty && first > range.first
        let hasNewer = newer.hasMore || !range.isEmpty && last < range.last
        guard let oldest = items.first, let newest = items.last else { return empty(hasOlder: hasOlder, users) }
        return HistoryPage(
            items: items.map(\.message),
            page: PageInfo(
                olderCursor: hasOlder ? oldest.key.cursor : nil,
                newerCursor: hasNewer ? newest.key.cursor : nil,
                hasOlder: hasOlder,
                hasNewer: hasNewer
            ),
            users: users
        )
    }

    /// Where nothing of the newest could be held, all of it is older.
    private func empty(hasOlder: Bool, _ users: [WireID: UserSummary]?) -> HistoryPage {
        let hasOlder = hasOlder && plan.split == .end
        let cursor = HistoryKey(plan.access.ceiling + 1).cursor
        return HistoryPage(
            items: [],
            page: PageInfo(
                olderCursor: hasOlder ? cursor : nil,
                newerCursor: nil,
                hasOlder: hasOlder,
                hasNewer: false
            ),
            users: users
        )
    }

    private static func merged(_ messages: [Message], _ systemMessages: [HistoryItem]) -> [HistoryItem] {
        var items: [HistoryItem] = []
        items.reserveCapacity(messages.count + systemMessages.count)
        var rest = systemMessages[...]
        for message in messages {
            let key = HistoryKey(message.seq ?? 0)
            while let system = rest.first, system.key < key {
                items.append(system)
                rest = rest.dropFirst()
            }
            items.append(HistoryItem(key: key, message: message))
        }
        return items + rest
    }
}
