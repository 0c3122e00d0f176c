import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire
import ReadModels

/// The bots, and their tokens.
struct BotsController {
    let identity: Identity
    let queries: Queries
    let limits: ServerLimits

    func addRoutes(to admin: Routes<OperatorContext>) {
        admin.get("bots", use: list)
        admin.post("bots", use: create)
        admin.get("bots/{botId}", use: find)
        admin.post("bots/{botId}/tokens", use: createToken)
        admin.delete("bots/{botId}/tokens/{tokenId}", use: revokeToken)
    }

    @Sendable private func list(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let query = Query(request.uri.query)
        let limit = try query.limit(limits)
        let before = try query.text("cursor").map { text throws(HTTPProblem) in
            guard let id = WireID(text) else {
                throw .invalid(parameter: "cursor", .invalid, "No cursor of this list.")
            }
            return id.uuid
        }
        let found = try await identity.bots(before: before, limit: limit + 1)
        let page = try await listed(Array(found.prefix(limit)))
        let next = found.count > limit ? page.last?.id.description : nil
        return JSONBody.response(ListPage(items: page, nextCursor: next))
    }

    @Sendable private func find(_ request: Request, _ context: OperatorContext) async throws -> Response {
        JSONBody.response(try await bot(try context.id("botId")))
    }

    @Sendable private func create(_ request: Request, _ context: OperatorContext) async throws -> Response {
        var fields = try await request.fields()
        let name = fields.text("displayName", 1...1_000, required: true)
        guard let name, fields.areValid else { throw fields.problem }
        let id = try await identity.createBot(name, by: context.caller.name)
        guard let bot = try await identity.bot(id) else { throw HTTPProblem.notFound }
        // The read models may not have it yet.
        let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
        return JSONBody.response(ListedBot(bot, displayName: trimmed), status: .created)
    }

    @Sendable private func createToken(_ request: Request, _ context: OperatorContext) async throws -> Response {
        var fields = try await request.optionalFields()
        let name = fields.name("name", 1...100)
        let scopes = fields.values(
            "scopes",
            atMost: BotScope.allCases.count,
            "One of \(BotScope.allCases.map(\.rawValue).joined(separator: ", ")) is expected."
        ) { BotScope(rawValue: $0) }
        if scopes?.isEmpty == true { fields.fail("scopes", .required, "A token allows something.") }
        guard fields.areValid else { throw fields.problem }
        let id = try context.id("botId")
        let made = try await identity.createToken(
            ofBot: id,
            named: name,
            for: Set(scopes ?? BotScope.allCases),
            by: context.caller.name
        )
        guard let made, let token = try await identity.bot(id)?.tokens.first(where: { $0.id == made.id }) else {
            throw HTTPProblem.notFound
        }
        return JSONBody.response(ListedBot.Token(token, text: made.text), status: .created)
    }

    @Sendable private func revokeToken(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let (bot, token) = (try context.id("botId"), try context.id("tokenId"))
        guard try await identity.revokeToken(token, ofBot: bot, by: context.caller.name) else {
            throw HTTPProblem.notFound
        }
        return Response(status: .noContent)
    }

    private func bot(_ id: UUID) async throws -> ListedBot {
        guard let bot = try await identity.bot(id), let answer = try await listed([bot]).first else {
            throw HTTPProblem.notFound
        }
        return answer
    }

    private func listed(_ bots: [Bot]) async throws -> [ListedBot] {
        let names = try await queries.summaries(of: Set(bots.map(\.id)))
        return bots.map { ListedBot($0, displayName: names[WireID($0.id)]?.displayName) }
    }
}
