import Testing

struct NeverHappened: Error {}

/// Waits until something is so, asking again with every change; the suite's time limit ends it.
func eventually(
    _ what: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isSo: () async throws -> Bool
) async throws {
    var changes = Changes.signals().makeAsyncIterator()
    while try await !isSo() {
        guard await changes.next() != nil else {
            Issue.record("never: \(what)", sourceLocation: sourceLocation)
            throw NeverHappened()
        }
    }
}
