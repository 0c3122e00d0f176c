import Foundation
import ParleyWire
import Testing

@testable import parley_load

struct PlanTests {
    @Test func `the same seed makes the same plan`() {
        let plans = (0..<2).map { _ in Samples.plan(seed: 7) }
        #expect(plans[0].people.map(\.credentials) == plans[1].people.map(\.credentials))
        #expect(plans[0].groups.map(\.conversationID) == plans[1].groups.map(\.conversationID))
        #expect(plans[0].groups.flatMap(\.sends) == plans[1].groups.flatMap(\.sends))
        #expect(plans[0].groups.flatMap(\.steps).map(\.action) == plans[1].groups.flatMap(\.steps).map(\.action))
    }

    @Test func `another seed makes other ids, addresses and inventions`() {
        let (one, other) = (Samples.plan(seed: 1), Samples.plan(seed: 2))
        #expect(Set(one.groups.flatMap(\.sends).map(\.id)).isDisjoint(with: other.groups.flatMap(\.sends).map(\.id)))
        #expect(Set(one.people.map(\.credentials.email)).isDisjoint(with: other.people.map(\.credentials.email)))
        #expect(one.groups.flatMap(\.steps).map(\.action) != other.groups.flatMap(\.steps).map(\.action))
    }

    @Test func `every message of the log is sent once, in order, with its reply`() {
        let log = Samples.log(messages: 400)
        let group = Samples.plan(seed: 3, logs: [log]).groups[0]
        let messages = log.lines.filter { $0.kind == .message }
        #expect(group.sends.map(\.text) == messages.compactMap(\.text))
        let sent = group.steps.flatMap { step -> [Int] in
            if case .send(let numbers) = step.action { numbers } else { [] }
        }
        #expect(sent == Array(group.sends.indices))
        for (send, line) in zip(group.sends, messages) {
            let target = line.replyTo.flatMap { number in messages.firstIndex { $0.line == number } }
            #expect(send.replyTo == target.map { group.sends[$0].id })
        }
    }

    @Test func `what is sent at once comes from different people and answers nothing of itself`() {
        let group = Samples.plan(seed: 4).groups[0]
        var largest = 0
        for case .send(let numbers) in group.steps.map(\.action) {
            let sends = numbers.map { group.sends[$0] }
            #expect(Set(sends.map(\.sender)).count == sends.count)
            #expect(Set(sends.compactMap(\.replyTo)).isDisjoint(with: sends.map(\.id)))
            largest = max(largest, numbers.count)
        }
        #expect((2...4).contains(largest))
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every step is possible when its turn comes`(seed: UInt64) {
        for group in Samples.plan(seed: seed).groups {
            var members = Set([group.owner] + group.firstMembers)
            var away: Set<PersonNumber> = []
            var (sent, deleted, pinned): (Int, Set<Int>, Set<Int>) = (0, [], [])
            var reactions: Set<String> = []
            func isThere(_ number: Int) -> Bool { number < sent && !deleted.contains(number) }
            for step in group.steps {
                switch step.action {
                case .send(let numbers):
                    for send in numbers.map({ group.sends[$0] }) {
                        #expect(members.contains(send.sender))
                        #expect(members.subtracting([send.sender]).isSuperset(of: send.mentions))
                    }
                    sent += numbers.count
                case .resend(let number): #expect(members.contains(group.sends[number].sender))
                case .conflict(let number): #expect(members.contains(group.sends[number].sender) && isThere(number))
                case .edit(let number, let text):
                    #expect(members.contains(group.sends[number].sender) && isThere(number))
                    #expect(text != group.sends[number].text && text.unicodeScalars.count <= 10_000)
                case .delete(let number, let person):
                    #expect(isThere(number) && members.contains(person))
                    #expect(person == group.owner || person == group.sends[number].sender)
                    deleted.insert(number)
                    pinned.remove(number)
                case .react(let number, let person, let emoji):
                    #expect(isThere(number) && members.contains(person))
                    reactions.insert("\(number) \(person) \(emoji)")
                case .unreact(let number, let person, let emoji):
                    #expect(isThere(number) && members.contains(person))
                    #expect(reactions.remove("\(number) \(person) \(emoji)") != nil)
                case .pin(let number): #expect(isThere(number) && pinned.insert(number).inserted)
                case .unpin(let number): #expect(pinned.remove(number) != nil)
                case .mute(let person, _): #expect(members.contains(person))
                case .join(let person), .add(let person): #expect(members.insert(person).inserted)
                case .remove(let person), .leave(let person):
                    #expect(person != group.owner)
                    #expect(members.remove(person) != nil)
                case .intrude(let person): #expect(!members.contains(person))
                case .spotCheck(let person): #expect(members.contains(person))
                case .receipts(let receipts):
                    #expect(!receipts.isEmpty && receipts.allSatisfy { members.contains($0.person) })
                    #expect(Set(receipts.map(\.person)).count == receipts.count)
                case .cut(let person), .stall(let person): #expect(away.insert(person).inserted)
                case .back(let person): #expect(away.remove(person) != nil)
                case .rename(_, let name): #expect((2...30).contains(name.count))
                case .renameGroup: break
                }
            }
            #expect(away.isEmpty)
        }
    }

    @Test func `nothing that the logs lack is left out of a long plan`() {
        let actions = Samples.plan(seed: 11, logs: [Samples.log(messages: 3000)]).groups[0].steps.map(\.action)
        var kinds: Set<String> = []
        for action in actions { kinds.insert(String(describing: action).prefix { $0 != "(" }.description) }
        #expect(
            kinds == [
                "send", "resend", "conflict", "join", "add", "remove", "leave", "intrude", "rename", "renameGroup",
                "receipts", "spotCheck", "cut", "stall", "back", "edit", "delete", "react", "unreact", "pin", "unpin",
                "mute",
            ]
        )
    }

    @Test func `a person keeps the account through a rename of the log`() {
        let log = Samples.log(["ann: hi", "bob: hi", "ann -> anna", "anna: it is me", "anna -> ann", "ann: again"])
        let group = Samples.plan(seed: 1, logs: [log]).groups[0]
        #expect(Set(group.sends.filter { $0.text != "hi" }.map(\.sender)) == [group.owner])
        #expect(group.steps.map(\.action).contains(.rename(group.owner, to: "anna")))
    }

    @Test func `silent people fill a group`() {
        let plan = Samples.plan(seed: 1, options: PlanOptions(members: 100))
        for group in plan.groups {
            let speaking = Set(group.sends.map(\.sender))
            #expect(speaking.union(group.firstMembers).count == 100)
        }
    }

    @Test func `ids are of version 7, addresses differ, names fit`() {
        let plan = Samples.plan(seed: 5)
        for id in plan.groups.flatMap(\.sends).map(\.id) {
            #expect(id.uuid.uuid.6 >> 4 == 7)
            #expect(id.uuid.uuid.8 >> 6 == 2)
        }
        #expect(Set(plan.people.map(\.credentials.email)).count == plan.people.count)
        #expect(plan.people.allSatisfy { (2...30).contains($0.credentials.displayName.count) })
    }

    @Test(arguments: [
        ("X", "X_"), ("", "__"), ("  a  b ", "a b"),
        (String(repeating: "n", count: 40), String(repeating: "n", count: 30)),
    ])
    func `any nickname becomes a name`(nickname: String, name: String) {
        #expect(DisplayName.fitting(nickname) == name)
    }
}
