import Foundation
import HTTPTypes
import Mail
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct PasswordTests {
    /// A server whose mails are files, and those files' texts.
    private static func with(
        _ body: @escaping @Sendable (TestServer, @Sendable () throws -> [String]) async throws -> Void
    )
        async throws
    {
        let path = "/tmp/parley-api-mails-\(UUID().uuidString.lowercased())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await TestServer.with {
            $0.mail = MailConfiguration(
                mailer: Mailer(.directory(MailDirectory(path: path))),
                from: MailAddress("no-reply@example.org"),
                appURL: "https://chat.example.org"
            )
            $0.mail.ratePerSecond = 1_000
        } _: { server in
            try await body(server) {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
                return try names.map { try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8) }
            }
        }
    }

    private static func token(in mail: String?) throws -> String {
        let mail = try #require(mail)
        let start = try #require(mail.firstRange(of: "#token=")).upperBound
        return String(mail[start...].prefix { !$0.isWhitespace })
    }

    private static func post(_ server: TestServer, _ path: String, _ body: [String: String]) async throws -> Answer {
        try await server.send(.post, "/v1/auth/\(path)", body: .object(body.mapValues { .string($0) }))
    }

    @Test func `a forgotten password is set anew by a mail, for everyone with the same answer`() async throws {
        try await Self.with { server, mails in
            let ada = try await server.register("Ada")
            var answers: Set<String> = []
            for email in [ada.email, "nobody@example.org", "no address", ""] {
                let answer = try await Self.post(server, "password/forgot", ["email": email])
                let names = answer.headers.map { "\($0.name)" }.sorted().joined()
                answers.insert("\(answer.status) \(names) \(answer.text)")
            }
            #expect(answers.count == 1)
            #expect(answers.first?.hasPrefix("202") == true)
            try await server.identity.mailWorker.sendDue()
            let reset = try mails().filter { $0.contains("reset-password") }
            #expect(reset.count == 1)
            let token = try Self.token(in: reset.last)
            try await Self.post(server, "password/reset", ["token": token, "newPassword": "short"])
                .expect(.validationFailed, pointer: "/newPassword")
            let set = ["token": token, "newPassword": "better battery"]
            #expect(try await Self.post(server, "password/reset", set).status == .noContent)
            try await Self.post(server, "password/reset", set).expect(.validationFailed, pointer: "/token")
            try await ada.send(.get, "/v1/me").expect(.unauthenticated)
            let login = ["email": ada.email, "password": "better battery"]
            #expect(try await Self.post(server, "login", login).status == .ok)
        }
    }

    @Test func `an address is verified by a mail, and shown as such`() async throws {
        try await Self.with { server, mails in
            let ada = try await server.register("Ada")
            #expect(try await !ada.get(Me.self, "/v1/me").emailVerified)
            #expect(try await ada.send(.post, "/v1/auth/email/resend").status == .accepted)
            try await server.identity.mailWorker.sendDue()
            let token = try Self.token(in: try mails().last)
            #expect(try await Self.post(server, "email/verify", ["token": token]).status == .noContent)
            #expect(try await ada.get(Me.self, "/v1/me").emailVerified)
            try await Self.post(server, "email/verify", ["token": token]).expect(.validationFailed, pointer: "/token")
            #expect(try await ada.send(.post, "/v1/auth/email/resend").status == .accepted)
            try await server.send(.post, "/v1/auth/email/resend").expect(.unauthenticated)
        }
    }

    @Test(arguments: ["password/forgot", "password/reset", "email/verify"])
    func `what is no request is refused as such`(path: String) async throws {
        try await TestServer.with { server in
            let place = path == "password/forgot" ? "/email" : "/token"
            for (body, code) in [
                ("", ProblemCode.malformedRequest), ("{", .malformedRequest), ("[]", .validationFailed),
                ("{}", .validationFailed), (#"{"email": 1, "token": 1}"#, .validationFailed),
                (#"{"email": null, "token": {}}"#, .validationFailed),
                (#"{"email": "\#(String(repeating: "x", count: 5_000))", "token": []}"#, .validationFailed),
            ] {
                let answer = try await server.send(.post, "/v1/auth/\(path)", text: body)
                try answer.expect(code, pointer: code == .validationFailed && body != "[]" ? place : nil)
            }
        }
    }

    @Test func `too many mails that wait are an overload that passes`() async throws {
        try await TestServer.with {
            $0.mail.queueLimit = 1
        } _: { server in
            _ = try await server.register("Ada")
            let answer = try await Self.post(server, "password/forgot", ["email": "nobody@example.org"])
            try answer.expect(.overloaded)
            #expect(answer["Retry-After"] != nil)
        }
    }
}
