package import Foundation
package import Hummingbird
package import Identity
import Logging
package import NIOCore

/// What is known of a request at the edge.
package struct EdgeContext: InitializableFromSource {
    let logger: Logger
    /// The same as in the log's metadata, where the log handler keeps any.
    package let requestID: String
    /// The client's connection.
    package let channel: any Channel
    /// What the request was counted by, for the answer's headers.
    package let rates = RateNotes()

    package init(source: ApplicationRequestContextSource) {
        logger = source.logger
        channel = source.channel
        requestID = source.logger[metadataKey: "hb.request.id"]?.description ?? RequestID().description
    }
}

/// A request of a caller who is known: the only context that handlers of private routes get.
package struct CallerContext: Sendable {
    package let channel: any Channel
    package let caller: AuthenticatedUser
    package let rates: RateNotes
    let parameters: PathParameters

    package var callerID: UUID { caller.userID }
}
