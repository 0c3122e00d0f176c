package import Foundation
package import Hummingbird
package import Identity

/// What is known of a request at the edge.
package struct EdgeContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Who asks; nil until ``Authentication`` has looked.
    package var caller: AuthenticatedUser?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}

/// A request of a caller who is known: the only context that handlers of private routes get.
package struct CallerContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let caller: AuthenticatedUser

    package init(context: EdgeContext) throws {
        guard let caller = context.caller else { throw HTTPProblem.unauthenticated("An access token is needed.") }
        coreContext = context.coreContext
        self.caller = caller
    }

    package var callerID: UUID { caller.userID }
}
