import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

@testable import Edge

@Suite(.database, .timeLimit(.minutes(5))) struct `Getting a file` {
    /// More than the sockets' buffers take.
    private static let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 20_000_000)

    @Test func `takes room for its pieces while a slow client takes them, and is refused where there is none`()
        async throws
    {
        try await TestServer.with {
            $0.setup = .live
            // Each holds half a megabyte.
            $0.edge.answers = CallerBudget(limit: 768 * 1_024)
        } _: { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let path = "/v1/attachments/\(try await ada.upload(Self.bytes).id)/content"
            let request = """
                GET \(path) HTTP/1.1\r
                Host: x\r
                Authorization: Bearer \(ada.session.accessToken)\r
                \r

                """
            try await RawConnection.with(port: server.client.port) { slow in
                try await slow.say(request)
                #expect(await slow.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
                try await ada.bring(.get, path).expect(.overloaded)
                // What is small has room, for the same caller and for others.
                let part = try await ada.bring(.get, path, headers: [.range: "bytes=5-9"])
                #expect(part.status == .partialContent && part.body.count == 5)
                #expect(try await bob.send(.get, "/v1/me").status == .ok)
            }
            while try await ada.bring(.get, path).status != .ok { await Task.pause() }
        }
    }
}
