package import Testing

/// Gives every test of a suite, or one test, a database of its own: ``TestDatabase/current``.
package struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    let content: TestDatabase.Content

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // Called for the suite as a whole as well, where there is nothing to run yet.
        guard testCase != nil else { return try await function() }
        try await TestDatabase.with(content, perform: function)
    }
}

extension Trait where Self == DatabaseTrait {
    /// A database with all migrations applied.
    package static var database: Self { DatabaseTrait(content: .migrated) }

    /// A database with nothing in it.
    package static var emptyDatabase: Self { DatabaseTrait(content: .empty) }
}
