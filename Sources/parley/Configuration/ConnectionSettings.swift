import API
import ArgumentParser
import Edge

/// The settings of what connections may take.
struct ConnectionSettings: ParsableArguments {
    @Option(
        Setting(
            "max-connections",
            default: "10000",
            .wholeNumber(1...1_000_000),
            "Open connections in all; more are closed at once."
        )
    )
    var total: Setting<Int>

    @Option(
        Setting(
            "max-connections-per-address",
            default: "1000",
            .wholeNumber(1...1_000_000),
            "Open connections from one address; trusted proxies have no cap of their own."
        )
    )
    var perAddress: Setting<Int>

    @Option(
        Setting(
            "idle-timeout",
            default: "60s",
            .duration(from: .seconds(1), to: .seconds(86_400)),
            "How long a connection may be silent between requests."
        )
    )
    var idle: Setting<Duration>

    @Option(
        Setting(
            "header-deadline",
            default: "10s",
            .duration(from: .milliseconds(100), to: .seconds(3_600)),
            "How long a request's head may take from its first byte."
        )
    )
    var header: Setting<Duration>

    @Option(
        Setting(
            "body-deadline",
            default: "30s",
            .duration(from: .milliseconds(300), to: .seconds(3_600)),
            "How long a request's body may take."
        )
    )
    var body: Setting<Duration>

    @Option(
        Setting(
            "min-body-rate",
            default: "500",
            .wholeNumber(0...1_000_000),
            "Bytes per second that a body has to bring in each third of its deadline, streamed ones too."
        )
    )
    var bodyRate: Setting<Int>

    @Option(
        Setting(
            "body-memory",
            default: "64",
            .wholeNumber(1...65_536),
            "MiB that the bodies of all requests may take together, one caller's a quarter; more are refused."
        )
    )
    var bodyMemory: Setting<Int>

    @Option(
        Setting(
            "answer-memory",
            default: "256",
            .wholeNumber(4...65_536),
            "MiB that large answers may take until their clients have taken them, one caller's a quarter; more are refused."
        )
    )
    var answerMemory: Setting<Int>

    @Option(
        Setting(
            "answer-deadline",
            default: "60s",
            .duration(from: .seconds(1), to: .seconds(3_600)),
            "How long a client may leave an answer untaken; streams have bounds of their own."
        )
    )
    var answer: Setting<Duration>

    @Option(
        Setting(
            "max-pipelined-requests",
            default: "100",
            .wholeNumber(1...10_000),
            "Requests that a client may send ahead of their answers."
        )
    )
    var pipelined: Setting<Int>
}

extension ConnectionSettings {
    /// - Parameter isLimited: false lifts the cap per address, for load tests.
    func limits(isLimited: Bool) -> EdgeLimits {
        var limits = EdgeLimits()
        limits.maxConnections = total.value
        limits.maxConnectionsPerAddress = isLimited ? perAddress.value : nil
        limits.idleTimeout = idle.value
        limits.headerDeadline = header.value
        limits.bodyDeadline = body.value
        limits.minBodyRate = bodyRate.value
        limits.bodyMemory = bodyMemory.value << 20
        limits.answerDeadline = answer.value
        limits.maxPipelinedRequests = pipelined.value
        return limits
    }
}
