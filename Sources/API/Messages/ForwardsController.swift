import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Live
import Messaging
import ParleyWire
import ReadModels

/// Passes a message on to other conversations. Each is a send of its own, so one that fails stops none of the others.
struct ForwardsController {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility
    let messages: VisibleMessages
    let gate: RateGate
    let files: AttachedFiles

    static let maxConversations = 20
    /// More is no news.
    private static let maxHops = 1_000

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("conversations/{conversationId}/messages/{messageId}/forward", use: forward)
    }

    /// What is passed on, by whom.
    private struct Source {
        let text: String
        let files: [AttachedFile]
        let hops: Int
        let sender: UUID
    }

    /// What a repeated request must repeat: not the text, which may have been edited since.
    private static func content(of message: UUID, in conversation: UUID) -> [UInt8] {
        var content = CanonicalContent("forward")
        content.append(conversation)
        content.append(message)
        return content.bytes
    }

    @Sendable private func forward(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (id, conversation) = (try context.id("messageId"), try context.id("conversationId"))
        var fields = try await request.fields()
        let asked = fields.ids("conversationIds", atMost: Self.maxConversations, required: true)
        if let asked, asked.isEmpty {
            fields.fail("conversationIds", .tooFew, "At least one conversation is expected.")
        }
        guard let asked, fields.areValid else { throw fields.problem }
        let command = commands.commandID(for: try request.idempotencyKey, of: context.callerID)
        try await gate.pass(.batch, for: .person(context.callerID), noting: context.rates)
        let targets = asked.reduce(into: [UUID]()) { targets, target in
            if !targets.contains(target) { targets.append(target) }
        }
        let earlier = try await self.earlier(to: targets, under: command, by: context.callerID)
        let source: Result<Source, HTTPProblem>
        do {
            source = .success(try await self.source(id, in: conversation, for: context.callerID))
        } catch {
            // What was passed on before is there, whatever has become of its source since.
            guard !earlier.isEmpty else { throw error }
            source = .failure(HTTPProblem(error))
        }
        let content = Self.content(of: id, in: conversation)
        var items: [ForwardAnswer.Item] = []
        var reached: [Cursor] = []
        for target in targets {
            let id = command.map { DerivedID.forwarded(to: target, under: $0) } ?? commands.clock.newID()
            let (item, token) = try await self.item(of: target, for: context.callerID) {
                if let sent = earlier[target] {
                    return try await give(sending(sent), to: target, content)
                }
                return try await send(try source.get(), as: id, to: target, content)
            }
            items.append(item)
            if let token { reached.append(token) }
        }
        let headers: HTTPFields = Cursor(covering: reached).map { [.parleyPosition: $0.text] } ?? [:]
        let weight = items.reduce(0) { $0 + ($1.message?.weight ?? 0) }
        return await JSONBody.response(ForwardAnswer(items: items), weighing: weight, headers: headers)
    }

    private func source(_ id: UUID, in conversation: UUID, for caller: UUID) async throws -> Source {
        let message = try await messages.message(id, in: conversation, seenBy: caller)
        guard let text = message.text else {
            throw HTTPProblem(.forbidden, "Nothing is left of the message.")
        }
        return Source(
            text: text,
            files: message.attachments.compactMap(AttachedFile.init),
            hops: min((message.forwardedFrom?.hops ?? 0) + 1, Self.maxHops),
            sender: caller
        )
    }

    /// What the sender has passed on under the key before, by where to.
    private func earlier(
        to targets: [UUID],
        under command: UUID?,
        by sender: UUID
    ) async throws -> [UUID: MessageSent] {
        guard let command else { return [:] }
        var earlier: [UUID: MessageSent] = [:]
        for target in targets {
            let id = DerivedID.forwarded(to: target, under: command)
            let record = try await commands.eventStore.log.event(of: id, in: StreamID(.conversation, target))
            guard let record, case .messageSent(let sent) = record.conversationEvent, sent.sender == sender else {
                continue
            }
            earlier[target] = sent
        }
        return earlier
    }

    private func send(
        _ source: Source,
        as id: UUID,
        to conversation: UUID,
        _ content: [UInt8]
    ) async throws -> Handled<Void> {
        let files = try await files.share(source.files, by: source.sender, for: id, in: conversation)
        // Its files spoke for a text of which nothing is to be seen. One that never had any was taken as it is, and is passed on.
        if files.isEmpty, !source.files.isEmpty, TextRules.isBlank(source.text) {
            throw HTTPProblem(.forbidden, "Nothing is left of the message.")
        }
        return try await self.files.sending(files, as: id, in: conversation) {
            try await give(sending(source, files, as: id), to: conversation, content)
        }
    }

    private func give(_ message: SendMessage, to conversation: UUID, _ content: [UInt8]) async throws -> Handled<Void> {
        try await commands.send(
            .send(message),
            as: [message.messageID],
            to: conversation,
            by: message.sender,
            content: content
        )
    }

    private func item(
        of conversation: UUID,
        for sender: UUID,
        _ send: () async throws -> Handled<Void>
    ) async throws -> (ForwardAnswer.Item, Cursor?) {
        do {
            let handled = try await send()
            let message = try await message(of: handled, in: conversation, for: sender)
            return (ForwardAnswer.Item(conversationId: WireID(conversation), message: message), handled.token)
        } catch {
            let problem = HTTPProblem(error)
            // What nobody expects is no answer about one conversation.
            guard problem.code != .internal, !(error is CancellationError) else { throw error }
            return (ForwardAnswer.Item(conversationId: WireID(conversation), code: problem.code), nil)
        }
    }

    private func sending(_ source: Source, _ files: [AttachedFile], as id: UUID) -> SendMessage {
        SendMessage(
            messageID: id,
            sender: source.sender,
            text: source.text,
            replyTo: nil,
            mentions: [],
            clientTimestamp: nil,
            hops: source.hops,
            now: commands.clock.moment(),
            attachments: files
        )
    }

    /// What was sent, to be found sent.
    private func sending(_ sent: MessageSent) -> SendMessage {
        SendMessage(
            messageID: sent.messageID,
            sender: sent.sender,
            text: sent.text ?? "",
            replyTo: nil,
            mentions: [],
            clientTimestamp: nil,
            hops: sent.hops,
            now: commands.clock.moment(),
            attachments: sent.attachments
        )
    }

    /// As it is now where it was repeated, and the read models can say so.
    private func message(of handled: Handled<Void>, in conversation: UUID, for sender: UUID) async throws -> Message {
        guard let record = handled.events.first, case .messageSent(let sent) = record.conversationEvent else {
            throw CommandError.idConflict
        }
        if handled.isReplay, try await visibility.reaches(handled.token),
            let message = try await queries.message(sent.messageID, in: conversation, for: sender)
        {
            return message
        }
        return Message(sent, at: record.recordedAt, position: record.position, in: conversation, replyTo: nil)
    }
}
