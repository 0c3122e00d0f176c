package import EventSourcing
import Foundation

/// The rules of a conversation.
package enum ConversationDecider: Decider {
    package static let name = "conversation"
    package static let snapshotVersion = 13
    package static let streams = [
        AggregateStream(.conversation, isOrdered: true),
        AggregateStream(.receipts, isOrdered: false),
        AggregateStream(.views, isOrdered: false),
    ]
    package static let initialState = Conversation()

    package static func decide(
        _ command: ConversationCommand,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        switch command {
        case .startDirect(let start): try startDirect(start, given: conversation)
        case .startGroup(let start): try startGroup(start, given: conversation)
        case .putParticipant(let put): try putParticipant(put, given: conversation)
        case .removeParticipant(let remove): try removeParticipant(remove, given: conversation)
        case .join(let join): try self.join(join, given: conversation)
        case .leave(let person): try leave(person, given: conversation)
        case .changeGroup(let change): try changeGroup(change, given: conversation)
        case .send(let send): try self.send(send, given: conversation)
        case .sendMessages(let batch): try sendMessages(batch, given: conversation)
        case .eraseMember(let person): try eraseMember(person, given: conversation)
        case .advanceReceipts(let advances): try advanceReceipts(advances, given: conversation)
        case .changeView(let change): try changeView(change, given: conversation)
        case .markUnread(let mark): try markUnread(mark, given: conversation)
        case .hideMessage(let hide): try hideMessage(hide, given: conversation)
        case .createInvite(let create): try createInvite(create, given: conversation)
        case .endInvite(let end): try endInvite(end, given: conversation)
        case .joinByInvite(let join): try joinByInvite(join, given: conversation)
        case .editMessage(let edit): try editMessage(edit, given: conversation)
        case .deleteMessage(let delete): try deleteMessage(delete, given: conversation)
        case .react(let react): try self.react(react, given: conversation)
        case .pin(let pin): try self.pin(pin, given: conversation)
        case .block(let block): try self.block(block, given: conversation)
        case .expireMessages(let expire): try expireMessages(expire, given: conversation)
        }
    }

    package static func merge(_ first: ConversationCommand, _ second: ConversationCommand) -> ConversationCommand? {
        guard case .advanceReceipts(let one) = first, case .advanceReceipts(let other) = second else { return nil }
        return .advanceReceipts(one + other)
    }

    /// Nobody waits for a receipt to be answered, but who has sent a message waits to hear that it is there.
    package static func mergeWindow(of command: ConversationCommand) -> Duration {
        guard case .advanceReceipts(let advances) = command else { return .zero }
        return advances.contains { $0.deliveredSeq != nil } ? .milliseconds(2) : .milliseconds(20)
    }

    /// Marks and views demand no version, so nothing else tells whether another process has changed them or the head since;
    /// and who moves marks is answered with where they stand.
    package static func needsFreshState(_ command: ConversationCommand, given conversation: Conversation) -> Bool {
        switch command {
        case .advanceReceipts, .changeView, .markUnread, .hideMessage: true
        case .startDirect, .startGroup, .putParticipant, .removeParticipant, .join, .leave, .changeGroup, .send,
            .sendMessages, .eraseMember, .createInvite, .endInvite, .joinByInvite, .editMessage, .deleteMessage, .react,
            .pin, .block, .expireMessages:
            false
        }
    }

    package static func weight(of conversation: Conversation) -> Int {
        1
            + (conversation.members.count + conversation.formerMembers.count + conversation.leavers.count
                + conversation.erasedPeople.count
                + conversation.invites.count + conversation.pinnedMessages.count + (conversation.slowMode?.count ?? 0))
            / 4
            + (conversation.messageChanges.count + conversation.deletedMessages.count) / 8
    }

    package static func evolve(_ conversation: inout Conversation, _ event: ConversationEvent) {
        if event.isOrdered { conversation.version += 1 }
        switch event {
        case .started(let started):
            conversation.kind = started.kind
            conversation.joinPolicy = started.joinPolicy
            conversation.historyVisibility = started.historyVisibility
            for member in started.members { conversation.admit(member.id, as: member.role, headSeq: 0) }
        case .participantAdded(let added):
            conversation.admit(added.person, as: added.role, headSeq: added.headSeq)
        case .participantRemoved(let removed):
            conversation.members[removed.person] = nil
            conversation.formerMembers.insert(removed.person)
            if removed.hasLeft == true { conversation.leavers.insert(removed.person) }
        case .roleChanged(let changed):
            conversation.members[changed.person]?.role = changed.role
        case .groupChanged(let changed):
            if let policy = changed.joinPolicy { conversation.joinPolicy = policy }
            if let visibility = changed.historyVisibility { conversation.historyVisibility = visibility }
        case .messageSent(let sent):
            conversation.headSeq = sent.seq
            conversation.members[sent.sender]?.noteOwnMessage(sent.seq)
            conversation.notePace(of: sent)
        case .memberErased(let erased):
            conversation.erasedPeople.insert(erased.person)
            conversation.members[erased.person]?.view = nil
            conversation.endInvites(of: erased.person)
            conversation.blockers.remove(erased.person)
        case .receiptsAdvanced(let advanced):
            for mark in advanced.marks { conversation.advance(mark) }
        case .viewChanged(let changed):
            conversation.apply(changed)
        case .markedUnread(let marked):
            conversation.apply(marked)
        case .permissionsChanged(let changed):
            var permissions = conversation.permissions
            permissions.apply(changed)
            conversation.chosenPermissions = permissions == .standard ? nil : permissions
        case .inviteCreated(let created):
            conversation.invites[created.invite] = Invite(created)
        case .inviteUsed(let used):
            conversation.use(used.invite)
        case .invitesEnded(let ended):
            for invite in ended.invites { conversation.invites[invite] = nil }
        case .messageEdited, .messageHidden:
            break
        case .messageDeleted(let deleted):
            conversation.messageChanges.note(deletionOf: deleted.messageID, at: conversation.version)
            conversation.deletedMessages.add(deleted.seq)
            conversation.pinnedMessages.remove(deleted.messageID)
        case .reactionAdded(let reaction):
            conversation.messageChanges.note(reaction, isAdded: true, at: conversation.version)
        case .reactionRemoved(let reaction):
            conversation.messageChanges.note(reaction, isAdded: false, at: conversation.version)
        case .messagePinned(let pinned):
            conversation.pinnedMessages.insert(pinned.messageID)
        case .messageUnpinned(let unpinned):
            conversation.pinnedMessages.remove(unpinned.messageID)
        case .blockChanged(let changed):
            conversation.apply(changed)
        case .retentionChanged(let changed):
            conversation.retention = changed.seconds
        case .slowModeChanged(let changed):
            conversation.apply(changed)
        }
    }
}

extension Conversation.Member {
    fileprivate mutating func noteOwnMessage(_ seq: Int64) {
        var own = ownMessages ?? .runs([])
        own.add(seq)
        ownMessages = own
    }
}

extension Conversation {
    fileprivate mutating func admit(_ person: UUID, as role: Role, headSeq: Int64) {
        joins += 1
        members[person] = Member(
            role: role,
            join: joins,
            fromSeq: headSeq,
            deliveredSeq: headSeq,
            readSeq: headSeq,
            publicReadSeq: headSeq
        )
        formerMembers.remove(person)
        leavers.remove(person)
    }

    fileprivate mutating func advance(_ mark: ReceiptsAdvanced.Mark) {
        guard var member = members[mark.person] else { return }
        member.deliveredSeq = max(member.deliveredSeq, mark.deliveredSeq)
        member.readSeq = max(member.readSeq, mark.readSeq)
        member.ownMessages = member.ownMessages?.after(member.readSeq, head: headSeq)
        member.publicReadSeq = max(member.publicReadSeq, mark.readSeqForOthers)
        member.forgetUnreadMark()
        members[mark.person] = member
    }
}
