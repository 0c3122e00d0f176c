package import Foundation
package import Hummingbird
package import Identity
import Logging
package import NIOCore

/// What is known of a request at the edge.
package struct EdgeContext: InitializableFromSource {
    let logger: Logger
    /// In the answer's headers, and in what is logged of the request.
    package let requestID: String
    /// The client's connection.
    package let channel: any Channel
    /// Nil where a test asks without one.
    let connection: HTTPConnection?
    /// What the request was counted by, for the answer's headers.
    package let rates = RateNotes()

    init(_ connection: HTTPConnection, logger: Logger) {
        self.logger = logger
        self.connection = connection
        channel = connection.channel
        requestID = RequestID().description
    }

    package init(source: ApplicationRequestContextSource) {
        logger = source.logger
        channel = source.channel
        connection = nil
        requestID = RequestID().description
    }
}

/// A request of a caller who is known: the only context that handlers of private routes get.
package struct CallerContext: Sendable {
    package let channel: any Channel
    /// Nil where a test asks without one.
    package let connection: HTTPConnection?
    package let caller: AuthenticatedUser
    package let rates: RateNotes
    let parameters: PathParameters

    package var callerID: UUID { caller.userID }
}
