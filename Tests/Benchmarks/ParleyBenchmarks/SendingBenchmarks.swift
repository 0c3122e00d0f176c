import Benchmark
import Foundation
import ParleyWire

@testable import API
@testable import Edge
@testable import Identity
@testable import Live

/// The steps of a send before and after the log.
func addSendingBenchmarks() {
    let body = Array(
        #"{"text": "\#(Sample.text(1).replacing("\"", with: "\\\""))", "clientTimestamp": "2026-11-22T00:00:00.000Z"}"#
            .utf8
    )
    Benchmark("send: read the body") { benchmark in
        for _ in benchmark.scaledIterations {
            guard case .object(let members) = try JSONParser.parse(body) else { return benchmark.error("no object") }
            blackHole(try SendMessageFields(Fields(members), limits: ServerLimits()).content)
        }
    }

    Benchmark("send: know a token again") { benchmark in
        let tokens = AccessTokens(keys: keys, IdentityConfiguration())
        let token = try tokens.issue(for: Sample.owner, session: Sample.id(5), at: Sample.time).token.exposed
        _ = try tokens.verify(token, at: Sample.time)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try tokens.verify(token, at: Sample.time)) }
    }

    Benchmark("send: verify a new token") { benchmark in
        var configuration = IdentityConfiguration()
        configuration.verifiedTokenLimit = 0
        let tokens = AccessTokens(keys: keys, configuration)
        // More than are remembered.
        let issued = try (0..<4).map { _ in
            try tokens.issue(for: Sample.owner, session: Sample.id(5), at: Sample.time).token.exposed
        }
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            for token in issued { blackHole(try tokens.verify(token, at: Sample.time)) }
        }
    }

    let message = Sample.message(1)
    Benchmark("send: write the answer") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(JSONWriter.data(of: message, reserving: 1_024)) }
    }

    let created = StreamEvent.MessageCreated(
        conversationId: WireID(Sample.conversation),
        message: message,
        sender: UserSummary(displayName: "Ada")
    )
    Benchmark("live: write a block of the stream") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(EventBlock(.messageCreated(created))) }
    }
}

private let keys = SigningKeySet(SigningKeySet.Entry(key: SigningKey(), activatesAt: .distantPast))
