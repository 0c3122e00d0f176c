/// What the logs lack, so that every promise is put to the test.
extension GroupPlanner {
    mutating func invent() {
        if random.chance(25) { emit(.receipts(receipts())) }
        if random.chance(2), let person = anyMember() { emit(.spotCheck(person)) }
        if random.chance(2), let number = oldSend() { emit(.resend(number)) }
        if random.chance(0.3), let number = oldSend(), !deleted.contains(number) {
            // What a deleted message said nobody knows any more.
            emit(.conflict(number))
        }
        inventMemberships()
        inventRenames()
        disturb()
    }

    private mutating func inventMemberships() {
        if random.chance(1), let person = members.dropFirst().randomElement(using: &random) {
            dismiss(person, with: random.chance(50) ? .remove(person) : .leave(person))
        }
        if random.chance(2), let person = formerMembers.randomElement(using: &random) { admit(person) }
        if random.chance(0.5),
            let person = speakers.numbers.filter({ !members.contains($0) }).randomElement(using: &random)
        {
            admit(person)
        }
    }

    private mutating func inventRenames() {
        if random.chance(0.4), let person = speakers.numbers.randomElement(using: &random) {
            rename(person, to: "\(names[person] ?? "Someone") \(Int.random(in: 2...99, using: &random))")
        }
        if random.chance(0.2) {
            emit(.renameGroup(to: "\(log.name) \(Int.random(in: 2...99, using: &random))"))
        }
    }

    /// Cuts a stream or stalls its reader, for a while.
    private mutating func disturb() {
        if random.chance(0.6), let person = undisturbed(and: disturbed?.cut) {
            emit(.cut(person))
            away[person] = Int.random(in: 0...80, using: &random)
        }
        if random.chance(0.3), let person = undisturbed(and: nil) {
            emit(.stall(person))
            away[person] = Int.random(in: 20...200, using: &random)
        }
        // One reader of all groups stalls early and for long: more is sent meanwhile than any buffer holds.
        if let person = disturbed?.stalled, away[person] == nil, sends.count < log.lines.count / 2, random.chance(2) {
            emit(.stall(person))
            away[person] = log.lines.count / 2
        }
    }

    mutating func bringBack(after messages: Int) {
        for person in away.keys.sorted() {
            guard let left = away[person] else { continue }
            if left > messages {
                away[person] = left - messages
            } else {
                away[person] = nil
                emit(.back(person))
            }
        }
    }

    private mutating func undisturbed(and other: PersonNumber?) -> PersonNumber? {
        (listeners + [other].compactMap(\.self)).filter { away[$0] == nil }.randomElement(using: &random)
    }

    private mutating func receipts() -> [ReceiptPlan] {
        let people = Set((0..<Int.random(in: 1...4, using: &random)).compactMap { _ in anyMember() })
        return people.sorted().map { person in
            let back = Int64.random(in: 0...20, using: &random)
            return switch Int.random(in: 0..<10, using: &random) {
            case 0: ReceiptPlan(person: person, deliveredBack: -1000, readBack: nil)
            case 1: ReceiptPlan(person: person, deliveredBack: nil, readBack: back)
            case 2, 3: ReceiptPlan(person: person, deliveredBack: back, readBack: nil)
            case 4: ReceiptPlan(person: person, deliveredBack: back, readBack: back / 2)
            case 5: ReceiptPlan(person: person, deliveredBack: back, readBack: back)
            default: ReceiptPlan(person: person, deliveredBack: 0, readBack: back)
            }
        }
    }

    private mutating func anyMember() -> PersonNumber? {
        // Listeners read more than the others: their own streams must tell them.
        let reading = listeners.filter { members.contains($0) }
        return random.chance(30) ? reading.randomElement(using: &random) : members.randomElement(using: &random)
    }

    /// An earlier message whose sender is a member now.
    private mutating func oldSend() -> Int? {
        guard !sends.isEmpty else { return nil }
        let number = Int.random(in: 0..<sends.count, using: &random)
        return members.contains(sends[number].sender) ? number : nil
    }
}
