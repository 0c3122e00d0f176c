import EventSourcing
import Foundation
import Messaging

/// A state as some version of its decider stored it, and what it must read as while that version is the newest.
///
/// Nothing here is edited: where the shape of a state changes, its version is raised and a sample of it added, so that
/// states of the old shape are folded anew instead of misread.
struct GoldenState<State: Codable & Equatable & Sendable>: Sendable {
    let version: Int
    let bytes: String
    let state: State
}

extension GoldenState where State == Conversation {
    static let all = [
        GoldenState(
            version: 4,
            bytes: #"{"erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":12,"historyVisibility":"joined","#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"publicReadSeq":8,"readSeq":9,"role":"owner"}]}"#,
            state: group
        ),
        GoldenState(
            version: 5,
            bytes: #"{"erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":12,"historyVisibility":"joined","#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,12],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner"}]}"#,
            state: group
        ),
        GoldenState(
            version: 6,
            bytes: #"{"deletedMessages":{"seqs":[12],"unknownUpTo":0},"#
                + #""erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":12,"historyVisibility":"joined","#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,12],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner"}],"messageChanges":{"changes":[{"message":"00000000-0000-4000-8000-000000000032","#
                + "\"reaction\":{\"counts\":{\"\u{1F44D}\":1},\"emoji\":\"\u{1F44D}\",\"isAdded\":true,"
                + #""person":"00000000-0000-4000-8000-000000000001"},"version":6},"#
                + #"{"message":"00000000-0000-4000-8000-000000000032","version":7}],"forgotten":0},"version":7}"#,
            state: changed
        ),
        GoldenState(
            version: 9,
            bytes: #"{"chosenPermissions":{"addMembers":"admins","changeInfo":"admins","pin":"admins","#
                + #""send":"admins"},"deletedMessages":{"seqs":[12],"unknownUpTo":0},"#
                + #""erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":12,"historyVisibility":"joined","#
                + #""invites":["00000000-0000-4000-8000-000000000009",{"command":"00000000-0000-4000-8000-000000000051","#
                + #""creator":"00000000-0000-4000-8000-000000000001","expiresAt":100000000,"maxUses":3,"uses":1}],"#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,12],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner","view":{"archivedSeq":12,"clearedSeq":11,"mutedUntil":100000000,"#
                + #""notificationLevel":"mentions","pinnedAt":-978307200,"unreadAfter":10}}],"#
                + #""messageChanges":{"changes":[{"message":"00000000-0000-4000-8000-000000000032","#
                + "\"reaction\":{\"counts\":{\"\u{1F44D}\":1},\"emoji\":\"\u{1F44D}\",\"isAdded\":true,"
                + #""person":"00000000-0000-4000-8000-000000000001"},"version":9},"#
                + #"{"message":"00000000-0000-4000-8000-000000000032","version":10}],"forgotten":0},"version":10}"#,
            state: changed
        ),
        GoldenState(
            version: 10,
            bytes: #"{"blockers":["00000000-0000-4000-8000-000000000001"],"#
                + #""chosenPermissions":{"addMembers":"admins","changeInfo":"admins","pin":"admins","#
                + #""send":"admins"},"deletedMessages":{"seqs":[12],"unknownUpTo":0},"#
                + #""erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":12,"historyVisibility":"joined","#
                + #""invites":["00000000-0000-4000-8000-000000000009",{"command":"00000000-0000-4000-8000-000000000051","#
                + #""creator":"00000000-0000-4000-8000-000000000001","expiresAt":100000000,"maxUses":3,"uses":1}],"#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,12],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner","view":{"archivedSeq":12,"clearedSeq":11,"mutedUntil":100000000,"#
                + #""notificationLevel":"mentions","pinnedAt":-978307200,"unreadAfter":10}}],"#
                + #""messageChanges":{"changes":[{"message":"00000000-0000-4000-8000-000000000032","#
                + "\"reaction\":{\"counts\":{\"\u{1F44D}\":1},\"emoji\":\"\u{1F44D}\",\"isAdded\":true,"
                + #""person":"00000000-0000-4000-8000-000000000001"},"version":10},"#
                + #"{"message":"00000000-0000-4000-8000-000000000032","version":11}],"forgotten":0},"#
                + #""pinnedMessages":["00000000-0000-4000-8000-000000000031"],"version":12}"#,
            state: pinned
        ),
        GoldenState(
            version: 11,
            bytes: #"{"blockers":["00000000-0000-4000-8000-000000000001"],"#
                + #""chosenPermissions":{"addMembers":"admins","changeInfo":"admins","pin":"admins","#
                + #""send":"admins"},"deletedMessages":{"seqs":[12],"unknownUpTo":0},"#
                + #""erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":12,"historyVisibility":"joined","#
                + #""invites":["00000000-0000-4000-8000-000000000009",{"command":"00000000-0000-4000-8000-000000000051","#
                + #""creator":"00000000-0000-4000-8000-000000000001","expiresAt":100000000,"maxUses":3,"uses":1}],"#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,12],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner","view":{"archivedSeq":12,"clearedSeq":11,"mutedUntil":100000000,"#
                + #""notificationLevel":"mentions","pinnedAt":-978307200,"unreadAfter":10}}],"#
                + #""messageChanges":{"changes":[{"message":"00000000-0000-4000-8000-000000000032","#
                + "\"reaction\":{\"counts\":{\"\u{1F44D}\":1},\"emoji\":\"\u{1F44D}\",\"isAdded\":true,"
                + #""person":"00000000-0000-4000-8000-000000000001"},"version":10},"#
                + #"{"message":"00000000-0000-4000-8000-000000000032","version":11}],"forgotten":0},"#
                + #""pinnedMessages":["00000000-0000-4000-8000-000000000031"],"retention":86400,"version":13}"#,
            state: limited
        ),
        GoldenState(
            version: 12,
            bytes: #"{"blockers":["00000000-0000-4000-8000-000000000001"],"#
                + #""chosenPermissions":{"addMembers":"admins","changeInfo":"admins","pin":"admins","#
                + #""send":"admins"},"deletedMessages":{"seqs":[12],"unknownUpTo":0},"#
                + #""erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":13,"historyVisibility":"joined","#
                + #""invites":["00000000-0000-4000-8000-000000000009",{"command":"00000000-0000-4000-8000-000000000051","#
                + #""creator":"00000000-0000-4000-8000-000000000001","expiresAt":100000000,"maxUses":3,"uses":1}],"#
                + #""joinPolicy":"open","joins":2,"kind":"group","members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,13],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner","view":{"archivedSeq":12,"clearedSeq":11,"mutedUntil":100000000,"#
                + #""notificationLevel":"mentions","pinnedAt":-978307200,"unreadAfter":10}}],"#
                + #""messageChanges":{"changes":[{"message":"00000000-0000-4000-8000-000000000032","#
                + "\"reaction\":{\"counts\":{\"\u{1F44D}\":1},\"emoji\":\"\u{1F44D}\",\"isAdded\":true,"
                + #""person":"00000000-0000-4000-8000-000000000001"},"version":10},"#
                + #"{"message":"00000000-0000-4000-8000-000000000032","version":11}],"forgotten":0},"#
                + #""pinnedMessages":["00000000-0000-4000-8000-000000000031"],"retention":86400,"#
                + #""slowMode":{"seconds":60,"sentAt":["00000000-0000-4000-8000-000000000001",100000000]},"version":15}"#,
            state: paced
        ),
        GoldenState(
            version: 13,
            bytes: #"{"blockers":["00000000-0000-4000-8000-000000000001"],"#
                + #""chosenPermissions":{"addMembers":"admins","changeInfo":"admins","pin":"admins","#
                + #""send":"admins"},"deletedMessages":{"seqs":[12],"unknownUpTo":0},"#
                + #""erasedPeople":["00000000-0000-4000-8000-000000000003"],"formerMembers":["#
                + #""00000000-0000-4000-8000-000000000003"],"headSeq":13,"historyVisibility":"joined","#
                + #""invites":["00000000-0000-4000-8000-000000000009",{"command":"00000000-0000-4000-8000-000000000051","#
                + #""creator":"00000000-0000-4000-8000-000000000001","expiresAt":100000000,"maxUses":3,"uses":1}],"#
                + #""joinPolicy":"open","joins":2,"kind":"group","#
                + #""leavers":["00000000-0000-4000-8000-000000000003"],"members":["00000000-0000-4000-8000-000000000001","#
                + #"{"deliveredSeq":11,"fromSeq":1,"join":2,"ownMessages":[12,13],"publicReadSeq":8,"readSeq":9,"#
                + #""role":"owner","view":{"archivedSeq":12,"clearedSeq":11,"mutedUntil":100000000,"#
                + #""notificationLevel":"mentions","pinnedAt":-978307200,"unreadAfter":10}}],"#
                + #""messageChanges":{"changes":[{"message":"00000000-0000-4000-8000-000000000032","#
                + "\"reaction\":{\"counts\":{\"\u{1F44D}\":1},\"emoji\":\"\u{1F44D}\",\"isAdded\":true,"
                + #""person":"00000000-0000-4000-8000-000000000001"},"version":10},"#
                + #"{"message":"00000000-0000-4000-8000-000000000032","version":11}],"forgotten":0},"#
                + #""pinnedMessages":["00000000-0000-4000-8000-000000000031"],"retention":86400,"#
                + #""slowMode":{"seconds":60,"sentAt":["00000000-0000-4000-8000-000000000001",100000000]},"version":16}"#,
            state: left
        ),
    ]

    /// One of each: the order of sets is another in each process.
    private static var group: Conversation {
        folded(
            by: ConversationDecider.self,
            .started(
                ConversationStarted(
                    kind: .group,
                    members: [.init(id: alan, role: .owner)],
                    joinPolicy: .open,
                    historyVisibility: .joined
                )
            ),
            .participantAdded(ParticipantAdded(person: ada, role: .owner, headSeq: 1)),
            .messageSent(MessageSent(messageID: person(50), sender: ada, seq: 12, text: nil, recipientCount: 2)),
            .receiptsAdvanced(
                ReceiptsAdvanced(marks: [.init(person: ada, deliveredSeq: 11, readSeq: 9, publicReadSeq: 8)])
            ),
            .participantRemoved(ParticipantRemoved(person: alan, headSeq: 12)),
            .memberErased(MemberErased(person: alan, headSeq: 12)),
            .viewChanged(
                ViewChanged(
                    person: ada,
                    mutedUntil: .set(Date(timeIntervalSinceReferenceDate: 100_000_000)),
                    notificationLevel: .mentions,
                    archivedSeq: .set(12),
                    pinnedAt: .set(Date(timeIntervalSince1970: 0)),
                    clearedSeq: 11
                )
            ),
            .markedUnread(MarkedUnread(person: ada, readSeq: 10)),
            .permissionsChanged(PermissionsChanged(send: .admins)),
            .inviteCreated(
                InviteCreated(
                    invite: person(9),
                    command: person(0x51),
                    creator: ada,
                    maxUses: 3,
                    expiresAt: Date(timeIntervalSinceReferenceDate: 100_000_000),
                    code: nil
                )
            ),
            .inviteUsed(InviteUsed(invite: person(9), person: grace)),
            // Nothing that a group knows; of two people it is all there is.
            .blockChanged(BlockChanged(person: ada, blocked: alan, isBlocked: true))
        )
    }
}

extension GoldenState where State == Conversation {
    /// As well as what happened to a message.
    private static var changed: Conversation {
        guard let thumb = Emoji("\u{1F44D}") else { preconditionFailure("the sample is an emoji") }
        var state = group
        let reaction = ReactionChanged(messageID: person(50), seq: 12, person: ada, emoji: thumb, counts: [thumb: 1])
        ConversationDecider.evolve(&state, .reactionAdded(reaction))
        ConversationDecider.evolve(
            &state,
            .messageDeleted(MessageDeleted(messageID: person(50), seq: 12, sender: ada))
        )
        return state
    }
}

extension GoldenState where State == Conversation {
    /// As well as a pin.
    private static var pinned: Conversation {
        var state = changed
        ConversationDecider.evolve(&state, .messagePinned(PinChanged(messageID: person(49), seq: 11, in: .group)))
        return state
    }
}

extension GoldenState where State == Conversation {
    /// As well as what its messages are sent under.
    private static var limited: Conversation {
        var state = pinned
        ConversationDecider.evolve(&state, .retentionChanged(RetentionChanged(seconds: 86_400)))
        return state
    }
}

extension GoldenState where State == Conversation {
    /// As well as who has to wait. Who has sent is a member like any other.
    private static var paced: Conversation {
        var state = limited
        ConversationDecider.evolve(&state, .slowModeChanged(SlowModeChanged(seconds: 60)))
        let sent = MessageSent(
            messageID: person(51),
            sender: ada,
            seq: 13,
            text: nil,
            recipientCount: 2,
            pacedAt: Date(timeIntervalSinceReferenceDate: 100_000_000)
        )
        ConversationDecider.evolve(&state, .messageSent(sent))
        return state
    }
}

extension GoldenState where State == Conversation {
    /// As well as who went by oneself.
    private static var left: Conversation {
        var state = paced
        let removed = ParticipantRemoved(person: alan, headSeq: 13, hasLeft: true)
        ConversationDecider.evolve(&state, .participantRemoved(removed))
        return state
    }
}

extension GoldenState where State == User {
    static let all = [
        GoldenState(
            version: 2,
            bytes: #"{"isDeactivated":true,"isErased":false,"isRegistered":true}"#,
            state: deactivated
        )
    ]

    private static var deactivated: User {
        folded(by: UserDecider.self, .registered(displayName: nil), .deactivated)
    }
}

private func folded<D: Decider>(by decider: D.Type, _ events: D.Event...) -> D.State {
    events.reduce(into: D.initialState) { D.evolve(&$0, $1) }
}
