import EventSourcing
import Foundation

extension ConversationDecider {
    static func startDirect(
        _ start: StartDirect,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard start.starter != start.other else { throw .withOneself }
        // Both sides may start it at once: the second finds it started.
        guard !conversation.exists else { return [] }
        if conversation.blockers.contains(start.starter) { throw .otherIsBlocked }
        // As if there were nobody.
        if !conversation.blockers.isEmpty { throw .notFound }
        let members = [start.starter, start.other].map { ConversationStarted.Member(id: $0, role: .member) }
        return [.started(ConversationStarted(kind: .direct, members: members))]
    }

    static func startGroup(
        _ start: StartGroup,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard !conversation.exists else { throw .idTaken }
        let others = distinct(start.participants, without: start.owner)
        guard others.count >= 2 else { throw .tooFewParticipants }
        guard others.count < start.maxMembers else { throw .tooManyParticipants(limit: start.maxMembers) }
        let members =
            [ConversationStarted.Member(id: start.owner, role: .owner)]
            + others.map { ConversationStarted.Member(id: $0, role: .member) }
        return [
            .started(
                ConversationStarted(
                    kind: .group,
                    members: members,
                    joinPolicy: start.joinPolicy,
                    historyVisibility: start.historyVisibility,
                    name: start.name,
                    icon: start.icon
                )
            )
        ] + permissionEvents(start.permissions, given: conversation)
    }

    private static func permissionEvents(
        _ asked: PermissionsChanged,
        given conversation: Conversation
    ) -> [ConversationEvent] {
        let changed = asked.beyond(conversation.permissions)
        return changed == .nothing ? [] : [.permissionsChanged(changed)]
    }

    private static func distinct(_ people: [UUID], without owner: UUID) -> [UUID] {
        var seen: Set<UUID> = [owner]
        return people.filter { seen.insert($0).inserted }
    }

    static func changeGroup(
        _ change: ChangeGroup,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let changesInfo = change.name != nil || change.icon != .unchanged
        let changesRules =
            change.joinPolicy != nil || change.historyVisibility != nil || change.permissions != .nothing
            || change.slowMode != .unchanged
        if changesInfo { try conversation.require(.changeInfo, by: change.actor) }
        let retention = try retentionEvents(change, given: conversation)
        // What asks for nothing is answered to those who could.
        if changesRules || !changesInfo && change.retention == .unchanged {
            try conversation.require(.changeGroup, by: change.actor)
        }
        let rules =
            permissionEvents(change.permissions, given: conversation) + retention
            + slowModeEvents(change, given: conversation)
        let policy = change.joinPolicy == conversation.joinPolicy ? nil : change.joinPolicy
        let visibility = change.historyVisibility == conversation.historyVisibility ? nil : change.historyVisibility
        let name = change.hasName ? nil : change.name
        let icon = change.hasIcon ? .unchanged : change.icon
        guard name != nil || icon != .unchanged || policy != nil || visibility != nil else { return rules }
        return [
            .groupChanged(
                GroupChanged(
                    name: name.map { .set($0) } ?? .unchanged,
                    icon: icon,
                    joinPolicy: policy,
                    historyVisibility: visibility
                )
            )
        ] + rules
    }
}
