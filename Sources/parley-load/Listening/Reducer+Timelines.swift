import ParleyWire

/// The newest piece of each history, system messages in their places.
extension Reducer {
    mutating func insert(_ message: Message, into conversation: WireID) {
        guard var timeline = timelines[conversation], let seq = message.seq else { return }
        noteSize(of: message)
        if let known = timeline.firstIndex(where: { $0.id == message.id }) {
            timeline[known] = message
        } else {
            let next = timeline.firstIndex { $0.seq.map { $0 > seq } ?? false }
            timeline.insert(message, at: next ?? timeline.endIndex)
        }
        timelines[conversation] = timeline.suffix(timelineLimit)
        if message.senderId == me.id { recountReceipts(in: conversation) }
    }

    /// A system message comes in its place, unless it has come before.
    mutating func append(_ message: Message, to conversation: WireID) {
        guard let timeline = timelines[conversation], !timeline.contains(where: { $0.id == message.id }) else { return }
        timelines[conversation] = (timeline + [message]).suffix(timelineLimit)
    }

    /// A page of the newest; what has come since it was read stays behind it.
    mutating func insert(_ page: [Message], into conversation: WireID) {
        guard var timeline = timelines[conversation] else { return }
        let first = page.lazy.compactMap(\.seq).first ?? 0
        var place = timeline.lastIndex { $0.seq.map { $0 < first } ?? false }.map { $0 + 1 } ?? 0
        for message in page {
            noteSize(of: message)
            if let known = timeline.firstIndex(where: { $0.id == message.id }) {
                timeline[known] = message
                place = known + 1
            } else {
                timeline.insert(message, at: place)
                place += 1
            }
        }
        timelines[conversation] = timeline.suffix(timelineLimit)
        recountReceipts(in: conversation)
    }
}
