import Foundation
import Identity
import TestSupport
import Testing

@testable import API

/// Streams of browsers, which hold their session by a cookie.
@Suite(.database, .timeLimit(.minutes(5))) struct `A stream by cookie` {
    private static func request(_ cookie: SessionCookie, _ more: String = "") -> String {
        "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nCookie: parley=\(cookie.value.exposed)\r\n\(more)\r\n"
    }

    private static func register(_ server: LiveServer) async throws -> SignedInBrowser {
        let signedIn = try await server.identity.registerInBrowser(
            Registration(
                email: "\(UUID().uuidString.lowercased())@example.org",
                password: Secret("correct horse"),
                displayName: "Ada"
            )
        )
        SecretWatch.add(signedIn.cookie.value.exposed)
        return signedIn
    }

    @Test func `is for this server's own pages`() async throws {
        try await LiveServer.with { server in
            let ada = try await Self.register(server)
            for (site, status) in [("same-origin", "200"), ("cross-site", "403"), ("same-site", "403")] {
                let received = try await RawConnection.with(port: server.port) { connection in
                    try await connection.say(Self.request(ada.cookie, "Sec-Fetch-Site: \(site)\r\n"))
                    return await connection.read(until: status == "200" ? "event: ready" : "requestId")
                }
                #expect(received.hasPrefix("HTTP/1.1 \(status) "), "\(received)")
            }
        }
    }

    @Test func `ends with its session, whichever server ends that`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                for server in [one, other] {
                    let ada = try await Self.register(one)
                    try await RawConnection.with(port: other.port) { connection in
                        try await connection.say(Self.request(ada.cookie))
                        _ = await connection.read(until: "event: ready")
                        try await server.identity.logout(cookie: ada.cookie.value.exposed)
                        let deadline = try await TestDeadline.within(2)
                        let rest = await connection.readAll()
                        #expect(rest.contains("event: goaway") && rest.contains("revoked"), "\(rest)")
                        try await deadline.check("the stream has ended")
                    }
                    let refused = try await RawConnection.with(port: other.port) { connection in
                        try await connection.say(Self.request(ada.cookie))
                        return await connection.read(until: "requestId")
                    }
                    #expect(refused.hasPrefix("HTTP/1.1 401 "))
                }
            }
        }
    }
}
