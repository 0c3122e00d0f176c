import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ParleyWire
import ReadModels

/// Conversations: starting, listing, reading and changing them.
struct ConversationsController {
    let commands: ConversationCommands
    let queries: Queries
    let answers: ConversationAnswers
    let limits: ServerLimits
    let pictures: Pictures

    func addRoutes(to group: Routes<CallerContext>) {
        group.put("conversations/direct/{userId}", use: putDirect)
        group.put("conversations/{conversationId}", use: putGroup)
        group.patch("conversations/{conversationId}", use: patch)
        group.read("conversations", use: list)
        group.read("conversations/{conversationId}", use: get)
    }

    @Sendable private func putDirect(_ request: Request, _ context: CallerContext) async throws -> Response {
        let other = try context.id("userId")
        let caller = context.callerID
        let id = DerivedID.directConversation(caller, other)
        let missing = try await commands.unavailablePeople([other], startingIn: id, by: caller)
        guard missing.isEmpty else { throw HTTPProblem.notFound }
        let start = StartDirect(starter: caller, other: other)
        let handled = try await commands.handle(.startDirect(start), on: id, by: caller) { $0 }
        return try await answers.response(id, for: caller, after: handled, isNew: !handled.events.isEmpty)
    }

    @Sendable private func putGroup(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.newID("conversationId")
        let caller = context.callerID
        let fields = try CreateGroupFields(try await request.fields(), limits: limits)
        try await refuseUnknown(fields.participants, startingIn: id, by: caller)
        // One id names one thing: a person's cannot be a conversation's.
        guard try await commands.unknownPeople([id]).contains(id) else { throw CommandError.idConflict }
        var icon: String?
        if let file = fields.icon {
            icon = try await pictures.claim(file, by: caller, for: id, isGroup: true, at: "/groupIcon")
        }
        let start = StartGroup(
            owner: caller,
            participants: fields.participants,
            name: fields.name,
            icon: icon,
            joinPolicy: fields.joinPolicy,
            historyVisibility: fields.historyVisibility,
            maxMembers: limits.maxGroupMembers,
            permissions: fields.permissions
        )
        let content = fields.content(owner: caller)
        let handled = try await commands.handle(
            .startGroup(start),
            on: id,
            by: caller,
            commandID: DerivedID.groupStart(id),
            content: content
        ) { $0 }
        return try await answers.response(
            id,
            for: caller,
            after: handled,
            isNew: !handled.isReplay,
            newcomers: .starting([caller] + fields.participants)
        )
    }

    private func refuseUnknown(_ people: [UUID], startingIn id: UUID, by caller: UUID) async throws {
        let unknown = try await commands.unavailablePeople(people, startingIn: id, by: caller)
        guard !unknown.isEmpty else { return }
        let errors = people.enumerated().filter { unknown.contains($0.element) }.prefix(50).map {
            FieldProblem(pointer: "/participantIds/\($0.offset)", code: .unknown, message: "There is no such person.")
        }
        throw HTTPProblem.invalid(errors)
    }

    @Sendable private func patch(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("conversationId")
        let caller = context.callerID
        let fields = try PatchGroupFields(try await request.fields(), limits: limits)
        var icon: Change<String> = fields.isIconCleared ? .cleared : .unchanged
        let asksForIcon = fields.isIconCleared || fields.icon != nil
        var shown: ParleyWire.Conversation?
        if asksForIcon || fields.name != nil { shown = try await self.shown(id, to: caller) }
        let previous = shown?.groupIcon.flatMap(AttachmentLinks.file(at:))
        if let file = fields.icon {
            icon = .set(try await pictures.claim(file, by: caller, for: id, isGroup: true, at: "/groupIcon"))
        }
        let change = ChangeGroup(
            actor: caller,
            name: fields.name,
            icon: icon,
            hasName: fields.name.map { shown?.groupName?.utf8.elementsEqual($0.utf8) ?? false } ?? false,
            hasIcon: asksForIcon && shown != nil && previous == fields.icon,
            joinPolicy: fields.joinPolicy,
            historyVisibility: fields.historyVisibility,
            permissions: fields.permissions,
            retention: fields.retention,
            slowMode: fields.slowMode
        )
        let handled = try await commands.handle(.changeGroup(change), on: id, by: caller) { $0 }
        if asksForIcon {
            // Where the previous one was not to be seen yet, the collector finds it.
            await pictures.changed(id, candidates: [previous, fields.icon]) {
                guard try await answers.visibility.reaches(handled.token) else { throw ConversationAnswers.notShownYet }
                return try await self.icon(of: id, for: caller)
            }
        }
        return try await answers.response(id, for: caller, after: handled, isNew: false)
    }

    /// A group as the log has it now, for who may change its name and icon; nil where it is not to be seen yet.
    private func shown(_ group: UUID, to caller: UUID) async throws -> ParleyWire.Conversation? {
        let now = try await commands.position(allowing: .changeInfo, by: caller, in: group)
        guard try await answers.visibility.reaches(now) else { return nil }
        return try await queries.conversation(group, for: caller)
    }

    private func icon(of group: UUID, for caller: UUID) async throws -> UUID? {
        guard let conversation = try await queries.conversation(group, for: caller) else { throw HTTPProblem.notFound }
        return conversation.groupIcon.flatMap(AttachmentLinks.file(at:))
    }

    private enum Filter: String, CaseIterable {
        case unread, archived, groups, direct, pinned, mentions
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let page = try await queries.conversations(
            of: context.callerID,
            filter: try query.choice("filter", of: Filter.self).map { ConversationFilter(rawValue: $0.rawValue) },
            matching: try query.text("query", atMost: Query.maxSearchText),
            after: try query.text("cursor"),
            limit: try query.limit(limits)
        )
        return Representation(page)
    }

    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let id = try context.id("conversationId")
        guard let conversation = try await queries.conversation(id, for: context.callerID) else {
            throw HTTPProblem.notFound
        }
        return Representation(conversation)
    }
}
