import Confusables
import Foundation
import ParleyWire

/// Turns one chat log into the steps of a group.
struct GroupPlanner {
    /// Of the messages, so many bring a picture, where there are any.
    private static let picturesPercent = 5.0

    let log: ChatLog
    let derivation: Derivation
    let speakers: Speakers
    let crowd: [PersonNumber]
    let listeners: [PersonNumber]
    let options: PlanOptions
    /// Listeners in all groups that this group cuts off and stalls, besides its own.
    var disturbed: (cut: PersonNumber, stalled: PersonNumber)?

    var random: SeededGenerator
    var sends: [SendPlan] = []
    /// By line of the log.
    var sendsByLine: [Int: Int] = [:]
    /// In the order of joining; the owner first.
    var members: [PersonNumber] = []
    var formerMembers: [PersonNumber] = []
    var names: [PersonNumber: String] = [:]
    /// Listeners that are cut off or stalled, with the messages left until they are back.
    var away: [PersonNumber: Int] = [:]
    /// Draws what becomes of messages, so that nothing else of a plan depends on it.
    var changes: SeededGenerator
    /// The same for pictures.
    private var pictures: SeededGenerator
    var deleted: Set<Int> = []
    var reactions: [PlannedReaction] = []
    var pins: [Int] = []
    var edits = 0
    private var steps: [Step] = []

    init(
        log: ChatLog,
        derivation: Derivation,
        speakers: Speakers,
        crowd: [PersonNumber],
        listeners: [PersonNumber],
        options: PlanOptions
    ) {
        self.log = log
        self.derivation = derivation
        self.speakers = speakers
        self.crowd = crowd
        self.listeners = listeners
        self.options = options
        random = derivation.generator(log.name)
        changes = derivation.generator("\(log.name)/changes")
        pictures = derivation.generator("\(log.name)/pictures")
    }

    mutating func plan() -> GroupPlan {
        let owner = speakers.numbers.first ?? crowd[0]
        let firstMembers = Array(speakers.numbers.dropFirst().prefix(2)) + crowd.filter { $0 != owner }
        members = [owner] + firstMembers
        var index = 0
        while index < log.lines.count {
            index += play(from: index)
        }
        for person in away.keys.sorted() { emit(.back(person)) }
        return GroupPlan(
            name: log.name,
            conversationID: derivation.id(
                "conversation/\(log.name)",
                at: log.lines.first?.at ?? Date(timeIntervalSince1970: 0)
            ),
            owner: owner,
            firstMembers: firstMembers,
            sends: sends,
            steps: steps
        )
    }

    /// Plans one line, or several that are said at the same time; returns how many.
    private mutating func play(from index: Int) -> Int {
        let line = log.lines[index]
        guard let person = speakers.number(of: line.sender) else { return 1 }
        switch line.kind {
        case .message:
            let burst = burst(from: index)
            for line in burst {
                if let sender = speakers.number(of: line.sender) { admit(sender) }
            }
            emit(.send(burst.compactMap { plan($0) }))
            bringBack(after: burst.count)
            invent()
            inventChanges()
            return max(burst.count, 1)
        case .join: admit(person)
        case .leave: dismiss(person, with: .leave(person))
        case .rename: rename(person, to: line.newName ?? "")
        }
        return 1
    }

    /// The lines that are sent at once: by different people, none answering another.
    private mutating func burst(from index: Int) -> ArraySlice<LogLine> {
        guard options.burst > 1, random.chance(12) else { return sayable(log.lines[index...index]) }
        let size = Int.random(in: 2...options.burst, using: &random)
        var senders: Set<PersonNumber> = []
        var end = index
        while end < log.lines.count, end - index < size {
            let line = log.lines[end]
            guard line.kind == .message, let sender = speakers.number(of: line.sender), isSayable(line),
                line.replyTo.map({ reply in !log.lines[index..<end].contains { $0.line == reply } }) ?? true,
                senders.insert(sender).inserted
            else { break }
            end += 1
        }
        return end > index ? log.lines[index..<end] : sayable(log.lines[index...index])
    }

    private func sayable(_ lines: ArraySlice<LogLine>) -> ArraySlice<LogLine> {
        lines.allSatisfy(isSayable) ? lines : []
    }

    /// Whether the contract takes the text.
    private func isSayable(_ line: LogLine) -> Bool {
        guard let text = line.text, text.unicodeScalars.count <= 10_000, !text.unicodeScalars.contains("\u{0}") else {
            return false
        }
        return Appearance.shows(text)
    }

    private mutating func picture() -> Int? {
        guard let count = options.pictures, count > 0, pictures.chance(Self.picturesPercent) else { return nil }
        return Int.random(in: 0..<count, using: &pictures)
    }

    private mutating func plan(_ line: LogLine) -> Int? {
        guard let sender = speakers.number(of: line.sender), let text = line.text else { return nil }
        let at = line.at ?? Date(timeIntervalSince1970: 0)
        let send = SendPlan(
            id: derivation.id("message/\(log.name)/\(line.line)", at: at),
            sender: sender,
            text: text,
            replyTo: line.replyTo.flatMap { sendsByLine[$0] }.map { sends[$0].id },
            mentions: mentions(by: sender),
            clientTimestamp: at,
            isDoubled: random.chance(3),
            picture: picture()
        )
        sendsByLine[line.line] = sends.count
        sends.append(send)
        return sends.count - 1
    }

    /// Brings a person in: those who were sent away are added, the others may join by themselves.
    mutating func admit(_ person: PersonNumber) {
        guard !members.contains(person) else { return }
        emit(random.chance(30) ? .add(person) : .join(person))
        formerMembers.removeAll { $0 == person }
        members.append(person)
    }

    mutating func dismiss(_ person: PersonNumber, with action: Action) {
        guard person != members.first, members.contains(person) else { return }
        emit(action)
        members.removeAll { $0 == person }
        formerMembers.append(person)
        if random.chance(40) { emit(.intrude(person)) }
    }

    mutating func rename(_ person: PersonNumber, to name: String) {
        let name = DisplayName.fitting(name)
        guard names[person] != name else { return }
        names[person] = name
        emit(.rename(person, to: name))
    }

    mutating func emit(_ action: Action) {
        if case .send(let numbers) = action, numbers.isEmpty { return }
        steps.append(Step(id: "\(log.name)#\(steps.count)", action: action))
    }
}
