package import Logging

/// What is told of errors, by those who know the errors of the inside.
package struct ErrorMapping: Sendable {
    /// To the client.
    let problem: @Sendable (any Error) -> HTTPProblem
    /// To the log.
    let metadata: @Sendable (any Error) -> Logger.Metadata

    package init(
        problem: @escaping @Sendable (any Error) -> HTTPProblem,
        metadata: @escaping @Sendable (any Error) -> Logger.Metadata
    ) {
        self.problem = problem
        self.metadata = metadata
    }
}
