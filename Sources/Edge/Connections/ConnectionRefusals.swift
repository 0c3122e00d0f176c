import HTTPTypes
import Logging

/// Takes note of requests that a connection refuses by itself, before any route is asked: in the metrics and in the access log,
/// like others.
///
/// A connection ends with the first one, so that nobody makes more lines by these than by requests. What a client has sent is in
/// none of them.
final class ConnectionRefusals: Sendable {
    private let responder: EdgeResponder
    private let logger: Logger

    init(responder: EdgeResponder, logger: Logger) {
        self.responder = responder
        self.logger = logger
    }

    /// What is not HTTP, and is answered so.
    func note(_ document: ProblemDocument) {
        responder.noteRefusal(document, logger: logger)
    }

    /// A request that gets no answer; nil where its head did not come.
    func noteUnanswered(_ request: HTTPRequest?, for reason: ConnectionMetrics.Reason) {
        responder.noteUnanswered(request, for: reason, logger: logger)
    }
}
