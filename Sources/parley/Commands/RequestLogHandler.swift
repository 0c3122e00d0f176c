import Logging

/// Puts metadata into words when something is logged, and not whenever some is set: every request sets its id, and
/// nearly none logs.
struct RequestLogHandler: LogHandler {
    private var writer: StreamLogHandler
    var metadata: Logger.Metadata = [:]

    init(_ writer: StreamLogHandler) {
        self.writer = writer
    }

    var logLevel: Logger.Level {
        get { writer.logLevel }
        set { writer.logLevel = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { writer.metadataProvider }
        set { writer.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        if !metadata.isEmpty {
            event.metadata = event.metadata.map { metadata.merging($0) { _, newer in newer } } ?? metadata
        }
        writer.log(event: event)
    }
}
