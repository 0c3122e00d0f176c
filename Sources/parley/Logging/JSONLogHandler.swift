import Foundation
import Logging
import ParleyWire

/// Writes each log line as one JSON object, for machines to read: `time`, `level`, `logger`, `message`, and the metadata
/// beside them. A name of the metadata that is taken gets an underscore.
struct JSONLogHandler: LogHandler {
    /// One line, with its end.
    typealias Write = @Sendable (Data) -> Void

    let label: String
    let write: Write
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, level: Logger.Level, provider: Logger.MetadataProvider?, write: @escaping Write) {
        self.label = label
        self.write = write
        logLevel = level
        metadataProvider = provider
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line: [String: JSONValue] = [
            "time": .string(Timestamp.format(Date())), "level": .string(event.level.rawValue), "logger": .string(label),
            "message": .string("\(event.message)"),
        ]
        let fixed = Set(line.keys)
        var all = metadata
        if let metadataProvider { all.merge(metadataProvider.get()) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        for (name, value) in all { line[fixed.contains(name) ? name + "_" : name] = Self.json(value) }
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.sortedKeys)
        // Nothing in it can fail to be encoded; and a line that is lost must not end the server.
        guard let data = try? encoder.encode(JSONValue.object(line)) else { return }
        write(data + Data("\n".utf8))
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string("\(value)")
        case .dictionary(let members): .object(members.mapValues(json))
        case .array(let items): .array(items.map(json))
        }
    }
}
