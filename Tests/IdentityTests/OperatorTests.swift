import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `Those who operate` {
    private var operators: Operators { Operators(pool: TestDatabase.current.pool) }

    private func make(_ name: String, _ scope: OperatorScope = .act) async throws -> String {
        let token = try #require(try await operators.create(name, scope, by: "console:root")).exposed
        SecretWatch.add(token)
        return token
    }

    @Test func `are known by a token that the database does not have`() async throws {
        let server = try await TestIdentity.open()
        let token = try await make("grafana", .read)
        #expect(token.hasPrefix("parley_op_"))
        let known = try await server.identity.authenticate(operatorToken: token)
        #expect(known.name == "grafana" && known.scope == .read)
        let rows = try await TestDatabase.current.pool.query("SELECT o::text FROM parley.operators o")
        #expect(try rows.map { try $0.decode(0, as: String.self) }.allSatisfy { !$0.contains(token.suffix(20)) })
    }

    @Test func `are refused with any other token, and once theirs is revoked`() async throws {
        let server = try await TestIdentity.open()
        let token = try await make("deploy")
        var failures = 0
        func isRefused(_ text: String) async -> Bool {
            let known = try? await server.identity.authenticate(operatorToken: text, onForgery: { failures += 1 })
            return known == nil
        }
        let other = try await make("other")
        // The id of one with the secret of the other.
        let mixed = token.prefix(32) + other.suffix(other.count - 32)
        for text in [
            "", "parley_op_", String(token.dropLast()), token + "A", String(mixed), "parley_bot_" + token.dropFirst(10),
        ] {
            #expect(await isRefused(text))
        }
        #expect(failures == 6)
        #expect(await !isRefused(token))
        #expect(try await operators.revoke("deploy", by: "console:root"))
        #expect(await isRefused(token))
        #expect(try await !operators.revoke("deploy", by: "console:root"))
        // The name is free again, and the old token is not good for the new one.
        let newer = try await make("deploy")
        #expect(await !isRefused(newer))
        #expect(await isRefused(token))
    }

    @Test func `have names of their own`() async throws {
        _ = try await make("deploy")
        #expect(try await operators.create(" deploy ", .read, by: "console:root") == nil)
        for name in ["", " ", "a\nb", "console:root", String(repeating: "x", count: 65)] {
            await #expect(throws: InvalidField.self) { try await operators.create(name, .read, by: "console:root") }
        }
    }

    @Test func `leave what they did in an audit that nobody changes`() async throws {
        let server = try await TestIdentity.open()
        _ = try await make("deploy")
        #expect(try await operators.revoke("deploy", by: "console:ada"))
        let acts = try await server.identity.audit.page(before: nil, limit: 10)
        #expect(acts.map(\.action) == ["operator.revoke", "operator.create"])
        #expect(acts.map(\.operator) == ["console:ada", "console:root"])
        #expect(acts.allSatisfy { $0.target == "deploy" })
        #expect(try await server.identity.audit.page(before: acts[0].number, limit: 10) == [acts[1]])
        // Not even who owns the table, or the whole database.
        let changes: [SQL] = [
            "UPDATE parley.audit SET operator = 'nobody'", "DELETE FROM parley.audit", "TRUNCATE parley.audit",
        ]
        for change in changes {
            await #expect(throws: PostgresError.self) { try await TestDatabase.current.pool.execute(change) }
            await #expect(throws: PostgresError.self) { try await TestDatabase.current.administrator.execute(change) }
        }
        #expect(try await server.identity.audit.page(before: nil, limit: 10) == acts)
    }
}
