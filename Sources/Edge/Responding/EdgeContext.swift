package import Foundation
import HTTPTypes
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
    /// Of the route that was found for it.
    private var parameters: PathParameters?

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

    func having(_ parameters: PathParameters) -> EdgeContext {
        var context = self
        context.parameters = parameters
        return context
    }

    /// A text of the path.
    package func text(_ name: String) -> String? {
        parameters?[name]
    }
}

/// A request of a caller who is known: the only context that handlers of private routes get.
package struct CallerContext: Sendable {
    package let channel: any Channel
    /// Nil where a test asks without one.
    package let connection: HTTPConnection?
    package let caller: AuthenticatedUser
    package let rates: RateNotes
    /// For answers that are read while they are written.
    package let answers: AnswerMemory
    let parameters: PathParameters
    /// Where the caller holds the session by a cookie.
    var cookie: HeldCookie?

    package var callerID: UUID { caller.userID }
}

extension CallerContext {
    /// The answer to whoever has signed out: a browser forgets the cookie, and all that it keeps of this server.
    package func signedOut(_ response: Response) -> Response {
        guard let cookie else { return response }
        var response = response
        response.headers.append(cookie.place.expiring)
        response.headers[.clearSiteData] = #""cache", "cookies", "storage""#
        return response
    }
}
