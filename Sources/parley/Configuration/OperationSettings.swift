import API
import ArgumentParser
import Logging

/// The settings of those who watch the server.
struct OperationSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "ops-port",
            .wholeNumber(0...65_535),
            "A port of its own for metrics, health and the operators' API; then metrics are there alone."
        )
    )
    var port: Setting<Int?>

    @Option(Setting("ops-host", default: "127.0.0.1", .text, "The address on which that port listens."))
    var host: Setting<String>

    @Option(Setting("log-level", default: "info", .word, "The least level that is logged."))
    var logLevel: Setting<Logger.Level>

    @Option(Setting("log-format", default: "text", .word, "text for people, or json with an object on each line."))
    var logFormat: Setting<LogFormatName>

    @Option(Setting("access-log", default: "off", .onOrOff, "Whether every request is logged when it is answered."))
    var accessLog: Setting<Bool>
}

/// How log lines are written.
enum LogFormatName: String, CaseIterable, Sendable {
    case text, json
}
