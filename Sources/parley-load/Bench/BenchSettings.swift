import ArgumentParser

/// How much is measured.
struct BenchSettings: ParsableArguments {
    @Option(help: "How often each figure is taken.")
    var runs = 3

    @Flag(help: "One short run of everything, on smaller logs: to see that it works, not to quote.")
    var quick = false

    @Option(help: "Seconds of each run of sends.")
    var seconds = 10

    @Option(help: "Connections that send, each with one request under way.")
    var connections = 256

    @Option(help: "Groups to send in.")
    var groups = 16

    @Option(help: "Length of a message's text.")
    var textLength = 80

    @Option(help: "Messages per second where latency is measured.")
    var rate = 500

    @Option(help: "Events in the log for resuming.")
    var logEvents = 1_000_000

    @Option(help: "Messages that the one who resumes has missed.")
    var missed = 10_000

    @Option(help: "Events of the conversation that is loaded without a stored state.")
    var coldEvents = 1_000_000

    @Option(help: "Idle streams to measure the memory of; twice as many are ended in order.")
    var idleConnections = 5_000

    @Option(help: "People who sign on at once where presence is measured.")
    var present = 10_050

    @Option(help: "Whom each of them watches.")
    var watched = 200

    @Option(help: "How many of 1,000 members type.")
    var typists = 20

    @Option(help: "Files that are uploaded at once.")
    var uploads = 100

    @Option(help: "MiB of each of them.")
    var uploadMegabytes = 25

    @Option(help: "Minutes that a foreign snapshot is held.")
    var holdMinutes = 2.0

    func validate() throws {
        guard (1...100).contains(runs) else { throw ValidationError("--runs is 1 to 100") }
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3,600") }
        guard (1...10_000).contains(connections) else { throw ValidationError("--connections is 1 to 10,000") }
        guard (1...1000).contains(groups) else { throw ValidationError("--groups is 1 to 1,000") }
        guard (20...10_000).contains(textLength) else { throw ValidationError("--text-length is 20 to 10,000") }
        guard (1...100_000).contains(rate) else { throw ValidationError("--rate is 1 to 100,000") }
        guard (1000...1_000_000_000).contains(logEvents) else { throw ValidationError("--log-events is 1,000 or more") }
        guard (1...1_000_000).contains(missed) else { throw ValidationError("--missed is 1 to 1,000,000") }
        guard (1000...1_000_000_000).contains(coldEvents) else {
            throw ValidationError("--cold-events is 1,000 or more")
        }
        guard (1...100_000).contains(idleConnections) else {
            throw ValidationError("--idle-connections is 1 to 100,000")
        }
        guard (4...100_000).contains(present) else { throw ValidationError("--present is 4 to 100,000") }
        guard (2...200).contains(watched) else { throw ValidationError("--watched is 2 to 200") }
        guard (1...1000).contains(typists) else { throw ValidationError("--typists is 1 to 1,000") }
        guard (1...1000).contains(uploads) else { throw ValidationError("--uploads is 1 to 1,000") }
        guard (1...1000).contains(uploadMegabytes) else { throw ValidationError("--upload-megabytes is 1 to 1,000") }
        guard (0.05...1440).contains(holdMinutes) else { throw ValidationError("--hold-minutes is 0.05 to 1,440") }
    }

    /// The settings in force: `--quick` makes everything smaller, and at most half of a log is missed.
    var adjusted: BenchSettings {
        var settings = self
        settings.missed = min(missed, logEvents / 2)
        guard quick else { return settings }
        settings.runs = 1
        settings.seconds = min(seconds, 3)
        settings.logEvents = min(logEvents, 50_000)
        settings.missed = min(settings.missed, 5_000)
        settings.coldEvents = min(coldEvents, 25_000)
        settings.idleConnections = min(idleConnections, 1_000)
        settings.present = min(present, 600)
        settings.watched = min(watched, 100)
        settings.uploads = min(uploads, 20)
        settings.uploadMegabytes = min(uploadMegabytes, 5)
        settings.holdMinutes = min(holdMinutes, 0.25)
        return settings
    }
}

extension BenchSettings: Encodable {
    /// By the names of the options.
    func encode(to encoder: any Encoder) throws {
        let numbers: [String: Double] = [
            "runs": Double(runs), "quick": quick ? 1 : 0, "seconds": Double(seconds),
            "connections": Double(connections),
            "groups": Double(groups), "text-length": Double(textLength), "rate": Double(rate),
            "log-events": Double(logEvents), "missed": Double(missed), "cold-events": Double(coldEvents),
            "idle-connections": Double(idleConnections),
            "present": Double(present), "watched": Double(watched), "typists": Double(typists),
            "uploads": Double(uploads), "upload-megabytes": Double(uploadMegabytes), "hold-minutes": holdMinutes,
        ]
        try numbers.encode(to: encoder)
    }
}
