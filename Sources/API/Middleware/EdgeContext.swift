package import Foundation
package import Hummingbird
package import Identity
import Logging
package import NIOCore

/// What is known of a request at the edge.
package struct EdgeContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The same as in the log's metadata, where the log handler keeps any.
    package let requestID: String
    /// The client's connection.
    package let channel: any Channel
    /// Who asks; nil until ``Authentication`` has looked.
    package var caller: AuthenticatedUser?
    /// What the request was counted by, for the answer's headers.
    package let rates = RateNotes()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        requestID = source.logger[metadataKey: "hb.request.id"]?.description ?? RequestID().description
    }
}

/// A request of a caller who is known: the only context that handlers of private routes get.
package struct CallerContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    package let caller: AuthenticatedUser
    package let rates: RateNotes

    package init(context: EdgeContext) throws {
        guard let caller = context.caller else { throw HTTPProblem.unauthenticated("An access token is needed.") }
        coreContext = context.coreContext
        channel = context.channel
        self.caller = caller
        rates = context.rates
    }

    package var callerID: UUID { caller.userID }
}
