import Foundation
import TestSupport
import Testing

/// The whole way from one master key to another, as an operator goes it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Rotating the master key` {
    @Test func `leaves what was said readable under the new key alone, and nobody signed out`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let registered = try await Client(port: first.port).send("POST", "/v1/auth/register", Person.registration)
            let refreshToken = try #require(registered.value("refreshToken"))
            #expect(await first.terminate().code == 0)

            let path = "\(directory)/master.key"
            let old = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            let new = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            let both = ["PARLEY_MASTER_KEY": new, "PARLEY_OTHER_MASTER_KEY": old]
            let alone = try await ParleyProcess.run(["rotate-master-key", "--data-dir", directory])
            #expect(alone.code == 78)
            #expect(alone.output.contains("PARLEY_OTHER_MASTER_KEY"))

            let meanwhile = try await ParleyProcess.serve(["--data-dir", directory], environment: both)
            let rotated = try await ParleyProcess.run(
                ["rotate-master-key", "--data-dir", directory],
                environment: both
            )
            #expect(rotated.code == 0, "\(rotated.output)")
            #expect(rotated.output.contains("none is left under the other key"))
            let body = "{\"refreshToken\":\"\(refreshToken)\"}"
            let refreshed = try await Client(port: meanwhile.port).send("POST", "/v1/auth/refresh", body)
            #expect(refreshed.status == 200)
            #expect(await meanwhile.terminate().code == 0)

            try Data((new + "\n").utf8).write(to: URL(fileURLWithPath: path))
            let last = try await ParleyProcess.serve(dataDirectory: directory)
            let me = try await Client(port: last.port, token: refreshed.value("accessToken")).send("GET", "/v1/me")
            #expect(me.body.contains(#""displayName":"Ada""#))
            #expect(await last.terminate().code == 0)
            // What checks the log finds out that its key is not this one.
            for key in [old, new] {
                let verified = try await ParleyProcess.run(
                    ["verify", "--attachments", "--data-dir", directory],
                    environment: ["PARLEY_MASTER_KEY": key]
                )
                #expect(verified.code == (key == new ? 0 : 78), "\(verified.output)")
                #expect(key == new || verified.output.contains("master key"))
            }
        }
    }
}
