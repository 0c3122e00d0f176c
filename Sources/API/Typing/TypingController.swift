import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Messaging

/// Says that somebody is typing: to who is connected, and to nobody later.
struct TypingController {
    let commands: ConversationCommands
    /// Publishes it to the other members that are connected, to any process.
    let publish: @Sendable (_ isTyping: Bool, _ person: UUID, _ conversation: UUID, _ members: Members) -> Void

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("conversations/{conversationId}/typing", use: typing)
    }

    @Sendable private func typing(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        var fields = try await request.fields()
        let isTyping = fields.bool("typing", required: true)
        guard fields.areValid, let isTyping else { throw fields.problem }
        let caller = context.callerID
        let members = try await commands.state(of: id, for: caller) { state throws(ConversationRejection) in
            try state.require(.send, by: caller)
            try state.requireNoBlock(by: caller)
            return state.members
        }
        publish(isTyping, caller, id, members)
        return Response(status: .accepted)
    }
}
