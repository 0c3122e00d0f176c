import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Live
import Messaging
import ParleyWire
import ReadModels

/// Answers commands with the conversation as it is after them.
///
/// The read models show it once their checkpoint has passed the command. Where they do not in time, a conversation that
/// has just begun is told from its first event; of an older one nothing half right is said.
struct ConversationAnswers: Sendable {
    let visibility: Visibility
    let queries: Queries
    let limits: ServerLimits

    /// Those whose names are compared with each other's, or with the other members'.
    enum Newcomers {
        case none
        case starting([UUID])
        case joining(UUID)
    }

    func response(
        _ id: UUID,
        for caller: UUID,
        after handled: Handled<Messaging.Conversation>,
        isNew: Bool,
        newcomers: Newcomers = .none
    ) async throws -> Response {
        var conversation = try await conversation(id, for: caller, after: handled)
        conversation.warnings =
            switch newcomers {
            case .none: nil
            case .starting(let people):
                // A start may be repeated when some have left.
                try await queries.warnings(among: people.filter { handled.answer.members[$0] != nil })
            case .joining(let person): try await queries.warnings(of: person, in: id)
            }
        return JSONBody.response(
            conversation,
            status: isNew ? .created : .ok,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    private func conversation(
        _ id: UUID,
        for caller: UUID,
        after handled: Handled<Messaging.Conversation>
    ) async throws -> ParleyWire.Conversation {
        if try await visibility.reaches(handled.token),
            let conversation = try await queries.conversation(id, for: caller)
        {
            return conversation
        }
        guard !handled.isReplay, let record = handled.events.first,
            case .started(let started) = record.conversationEvent
        else { throw Self.notShownYet }
        return try await conversation(id, for: caller, begun: started, record, now: handled.answer)
    }

    static let notShownYet = HTTPProblem(
        .unavailable,
        "The command took effect, but the server cannot show its result yet. Repeating it is safe."
    )

    private func conversation(
        _ id: UUID,
        for caller: UUID,
        begun started: ConversationStarted,
        _ record: RecordedEvent,
        now state: Messaging.Conversation
    ) async throws -> ParleyWire.Conversation {
        let isListed = started.members.count <= limits.maxListedParticipants
        let people = isListed ? started.members.map(\.id).sorted() : []
        let names = try await queries.summaries(of: Set(people))
        let participants = people.compactMap { person in
            state.members[person].map { member in
                Participant(
                    userId: WireID(person),
                    displayName: names[WireID(person)]?.displayName,
                    photoURL: names[WireID(person)]?.photoURL,
                    role: ParticipantRole(rawValue: member.role.rawValue),
                    joinedAt: record.recordedAt,
                    revision: record.position,
                    erased: names[WireID(person)]?.erased
                )
            }
        }
        let role = state.members[caller]?.role ?? .member
        let isGroup = started.kind == .group
        return ParleyWire.Conversation(
            id: WireID(id),
            type: ConversationType(rawValue: started.kind.rawValue),
            groupName: started.name,
            groupIcon: started.icon,
            joinPolicy: isGroup ? GroupJoinPolicy(rawValue: state.joinPolicy.rawValue) : nil,
            historyVisibility: isGroup ? GroupHistoryVisibility(rawValue: state.historyVisibility.rawValue) : nil,
            permissions: isGroup ? ParleyWire.GroupPermissions(state.permissions) : nil,
            retentionSeconds: state.retention,
            slowModeSeconds: isGroup ? state.slowMode?.seconds ?? 0 : nil,
            participantIds: isListed ? participants.map(\.userId) : nil,
            participantCount: state.members.count,
            participants: isListed ? participants : nil,
            lastMessage: nil,
            headSeq: 0,
            unreadCount: 0,
            firstUnreadSeq: nil,
            me: MemberSettings(role: ParticipantRole(rawValue: role.rawValue), deliveredSeq: 0, readSeq: 0),
            createdBy: WireID(record.actor ?? caller),
            createdAt: record.recordedAt,
            updatedAt: record.recordedAt,
            revision: record.position,
            users: names
        )
    }
}
