import ParleyWire

/// Whether a stream brought every message of the person's stays exactly once, in order, and no other.
struct StreamCheck {
    let expected: ExpectedConversation
    let person: WireID
    /// When each message came into being, as far as this process knows.
    let birth: (WireID) -> Acknowledgement.Birth?

    func differences(of sightings: [SeenMessages.Sighting]) -> [String] {
        var differences: [String] = []
        var times: [WireID: Int] = [:]
        var last: Int64 = 0
        for sighting in sightings {
            times[sighting.id, default: 0] += 1
            if sighting.seq <= last { differences.append("seq \(sighting.seq) came after \(last)") }
            last = max(last, sighting.seq)
        }
        for message in expected.messages {
            let count = times.removeValue(forKey: message.id) ?? 0
            let isEntitled = expected.isEntitled(person, to: message)
            let least = isEntitled && birth(message.id) == .now ? 1 : 0
            let most = isEntitled ? 1 : 0
            if count < least { differences.append("seq \(message.seq) never came") }
            if count > most {
                differences.append("seq \(message.seq) came \(count) times\(isEntitled ? "" : ", not being a member")")
            }
        }
        for (id, count) in times { differences.append("\(id) came \(count) times, though nobody acknowledged it") }
        let words = Dictionary(expected.messages.map { ($0.id, $0) }) { first, _ in first }
        for sighting in sightings {
            guard let message = words[sighting.id] else { continue }
            if message.seq != sighting.seq || !message.hasSaid(sighting.text) {
                differences.append("seq \(message.seq) came as \(sighting.seq) or with other words")
            }
        }
        return differences
    }
}
