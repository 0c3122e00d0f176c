import Foundation
import Messaging

/// What members choose for themselves and for the group, and whom they let in.
extension RandomHistory {
    mutating func invite() {
        guard let (id, conversation) = pick(), let person = people.randomElement(using: &random),
            !erased.contains(person)
        else { return }
        if let open = conversation.invites.keys.min() {
            let join = JoinByInvite(person: person, invite: open, maxMembers: 100, now: log.now)
            return decide(
                random.below(4) == 0 ? .endInvite(EndInvite(actor: person, invite: open)) : .joinByInvite(join),
                on: id,
                by: person
            )
        }
        let create = CreateInvite(
            actor: person,
            code: InviteCode(of: id),
            command: random.id(),
            maxUses: [nil, 1][random.below(2)],
            expiresAt: nil,
            now: log.now
        )
        decide(.createInvite(create), on: id, by: person)
    }

    mutating func changePermissions() {
        guard let (id, conversation) = pick() else { return }
        let owner = conversation.members.all.filter { $0.member.role == .owner }.map(\.person).min()
        guard let owner else { return }
        let choices: [Messaging.GroupPermissions.Permitted?] = [nil, .everyone, .admins]
        decide(
            .changeGroup(
                ChangeGroup(
                    actor: owner,
                    name: random.below(2) == 0 ? "Renamed \(random.below(1_000))" : nil,
                    icon: .unchanged,
                    joinPolicy: nil,
                    historyVisibility: nil,
                    permissions: PermissionsChanged(
                        // Somebody has to say something.
                        send: [nil, .everyone][random.below(2)],
                        addMembers: choices[random.below(3)],
                        changeInfo: choices[random.below(3)],
                        pin: choices[random.below(3)]
                    )
                )
            ),
            on: id,
            by: owner
        )
    }

    mutating func changeRetention() {
        guard let (id, conversation) = pick() else { return }
        let owner = conversation.members.all.filter { $0.member.role == .owner }.map(\.person).min()
        guard let actor = owner ?? member(of: conversation) else { return }
        decide(
            .changeGroup(
                ChangeGroup(
                    actor: actor,
                    name: nil,
                    icon: .unchanged,
                    joinPolicy: nil,
                    historyVisibility: nil,
                    retention: random.below(4) == 0 ? .cleared : .set(3_600 * (1 + random.below(3))),
                    // Of two people there is no such thing.
                    slowMode: owner == nil || random.below(3) > 0 ? .unchanged : [.cleared, .set(5)][random.below(2)]
                )
            ),
            on: id,
            by: actor
        )
    }

    /// Whether the two have ever talked or not.
    mutating func block() {
        let pair = people.filter { !erased.contains($0) }.shuffled(using: &random)
        guard pair.count >= 2 else { return }
        let block = Block(person: pair[0], blocked: pair[1], isBlocked: random.below(3) > 0)
        decide(.block(block), on: DerivedID.directConversation(pair[0], pair[1]), by: pair[0])
    }

    mutating func changeView() {
        guard let (id, conversation) = pick(), let person = member(of: conversation) else { return }
        let until = log.now.addingTimeInterval(Double(random.below(60)))
        decide(
            .changeView(
                ChangeView(
                    person: person,
                    mutedUntil: [.unchanged, .cleared, .set(until)][random.below(3)],
                    notificationLevel: [nil, .all, .mentions, NotificationLevel.none][random.below(4)],
                    archived: [nil, true, false][random.below(3)],
                    pinned: [nil, true, false][random.below(3)],
                    clears: random.below(6) == 0,
                    now: log.now
                )
            ),
            on: id,
            by: person
        )
    }

    mutating func markUnread() {
        guard let (id, conversation) = pick(), let person = member(of: conversation) else { return }
        let seq = Int64(1 + random.below(Int(conversation.headSeq) + 1))
        decide(.markUnread(MarkUnread(person: person, fromSeq: seq)), on: id, by: person)
    }

    /// What the member sees and has not hidden yet; on a late device also once more.
    mutating func hide() {
        guard let (id, conversation) = pick(), let person = member(of: conversation), conversation.headSeq > 0 else {
            return
        }
        let floor = conversation.historyVisibility == .joined ? conversation.members[person]?.fromSeq ?? 0 : 0
        guard let message = messages[id]?.filter({ $0.seq > floor }).randomElement(using: &random) else { return }
        decide(.hideMessage(HideMessage(person: person, messageID: message.id, seq: message.seq)), on: id, by: person)
    }

    /// What another process decided on an older state: of people who have left, or have joined anew since.
    mutating func changeViewLate() {
        guard let (id, conversation) = pick(), conversation.headSeq > 0,
            let person = people.randomElement(using: &random)
        else { return }
        let seq = Int64(random.below(Int(conversation.headSeq)))
        let events: [ConversationEvent] = [
            .markedUnread(MarkedUnread(person: person, readSeq: seq)),
            .viewChanged(ViewChanged(person: person, archivedSeq: .set(seq), pinnedAt: .set(log.now))),
            .viewChanged(ViewChanged(person: person, mutedUntil: .cleared, clearedSeq: seq)),
        ]
        record(events[random.below(3)], on: id, by: person, command: random.id())
    }
}
