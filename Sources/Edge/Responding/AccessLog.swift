import HTTPTypes
import Logging

/// A line for every request that was answered: what was asked and how it went, never a path, an address or a person.
struct AccessLog: Sendable {
    let logger: Logger

    func record(_ method: HTTPRequest.Method, _ route: Route?, status: Int, bytes: Int?, duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        logger.info(
            "Answered",
            metadata: [
                // A method that no route has could be any text.
                "method": "\(route == nil ? "any" : method.rawValue)", "route": "\(route?.path ?? "none")",
                "status": "\(status)", "bytes": "\(bytes.map { "\($0)" } ?? "stream")",
                "microseconds": "\(microseconds)",
            ]
        )
    }
}
