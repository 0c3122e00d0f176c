import HTTPTypes
import Logging

/// A line for every request: what was asked and how it went, never a path, an address or a person.
struct AccessLog: Sendable {
    let logger: Logger

    /// - Parameters:
    ///   - bytes: nil where the answer is a stream.
    ///   - more: What the line says beside this.
    func record(
        _ method: HTTPRequest.Method?,
        _ route: Route?,
        status: Int,
        bytes: Int?,
        duration: Duration,
        more: Logger.Metadata = [:]
    ) {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let outcome: Logger.Metadata = [
            "status": "\(status)", "bytes": "\(bytes.map { "\($0)" } ?? "stream")",
            "microseconds": "\(microseconds)",
        ]
        write("Answered", method, route, outcome.merging(more) { $1 })
    }

    /// A request that gets no answer has no status; the connection ended for this reason.
    func recordUnanswered(_ method: HTTPRequest.Method?, _ route: Route?, reason: String) {
        write(
            "Not answered",
            method,
            route,
            ["status": "none", "bytes": "0", "microseconds": "0", "reason": "\(reason)"]
        )
    }

    private func write(
        _ message: Logger.Message,
        _ method: HTTPRequest.Method?,
        _ route: Route?,
        _ outcome: Logger.Metadata
    ) {
        // A method that no route has could be any text.
        let method = route == nil ? nil : method
        let asked: Logger.Metadata = ["method": "\(method?.rawValue ?? "any")", "route": "\(route?.path ?? "none")"]
        logger.info(message, metadata: asked.merging(outcome) { $1 })
    }
}
