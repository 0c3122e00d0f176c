import Edge
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Live
import Messaging
import ParleyWire
import Reactors

/// Moving the caller's marks.
struct ReceiptsController {
    let presences: Presences?
    let activity: PushActivity
    let commands: ConversationCommands
    let unread: UnreadInLog
    let privacy: ReadPrivacy
    let limits: ServerLimits

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("receipts", use: post)
    }

    /// Where the caller's marks stand after a request, or why they could not be moved.
    private enum Outcome: Sendable {
        case moved(Marks, Cursor)
        case refused(ProblemCode)
    }

    private struct Marks: Sendable {
        let deliveredSeq: Int64
        let readSeq: Int64
        /// Nil where the log must be asked.
        let unreadCount: Int64?

        init(of person: UUID, in conversation: Messaging.Conversation) throws(ConversationRejection) {
            let member = try conversation.member(person, allowedTo: .moveMarks)
            deliveredSeq = member.deliveredSeq
            readSeq = member.readSeq
            unreadCount = conversation.unreadCount(of: member)
        }
    }

    @Sendable private func post(_ request: Request, _ context: CallerContext) async throws -> Response {
        let advances = try ReceiptFields(try await request.fields(), limits: limits).advances
        let caller = context.callerID
        let isReading = advances.contains { $0.readSeq != nil }
        // What a device receives by itself says nothing of a person.
        if isReading {
            presences?.isActive(context.caller.sessionID, of: caller)
            activity.note(caller)
        }
        let isPrivate = isReading ? try await privacy.isPrivate(caller) : false
        let outcomes = try await move(advances, of: caller, isPrivate: isPrivate)
        var uncounted: [UnreadInLog.Mark] = []
        var reached: [Cursor] = []
        for (advance, outcome) in zip(advances, outcomes) {
            guard case .moved(let marks, let token) = outcome else { continue }
            reached.append(token)
            guard marks.unreadCount == nil else { continue }
            uncounted.append(UnreadInLog.Mark(conversation: advance.conversation, readSeq: marks.readSeq))
        }
        let counts = try await unread.counts(after: uncounted, of: caller)
        let items = zip(advances, outcomes).map { advance, outcome in
            switch outcome {
            case .moved(let marks, _):
                ReceiptsAnswer.Item(
                    conversationId: WireID(advance.conversation),
                    deliveredSeq: marks.deliveredSeq,
                    readSeq: marks.readSeq,
                    unreadCount: marks.unreadCount.map { Int(clamping: $0) } ?? counts[advance.conversation] ?? 0
                )
            case .refused(let code):
                ReceiptsAnswer.Item(conversationId: WireID(advance.conversation), code: code)
            }
        }
        var headers: HTTPFields = [:]
        if let token = Cursor(covering: reached) { headers[.parleyPosition] = token.text }
        return JSONBody.response(
            writing: ReceiptsAnswer(items: items),
            reserving: 144 * items.count,
            status: .ok,
            headers: headers
        )
    }

    /// Moves the marks of all conversations at once: each waits for a commit that the others share.
    private func move(
        _ advances: [ReceiptFields.Advance],
        of caller: UUID,
        isPrivate: Bool
    ) async throws -> [Outcome] {
        if advances.count == 1 { return [try await move(advances[0], of: caller, isPrivate)] }
        return try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for (index, advance) in advances.enumerated() {
                group.addTask { (index, try await move(advance, of: caller, isPrivate)) }
            }
            var outcomes = [Outcome](repeating: .refused(.notFound), count: advances.count)
            for try await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }

    private func move(_ advance: ReceiptFields.Advance, of caller: UUID, _ isPrivate: Bool) async throws -> Outcome {
        let command = ReceiptAdvance(
            person: caller,
            deliveredSeq: advance.deliveredSeq,
            readSeq: advance.readSeq,
            isPrivate: isPrivate
        )
        do {
            let handled = try await commands.handle(
                .advanceReceipts([command]),
                on: advance.conversation,
                by: caller
            ) { state in
                Result { () throws(ConversationRejection) in try Marks(of: caller, in: state) }
            }
            return .moved(try handled.answer.get(), handled.token)
        } catch let rejection as ConversationRejection {
            return .refused(HTTPProblem(rejection).code)
        }
    }
}
