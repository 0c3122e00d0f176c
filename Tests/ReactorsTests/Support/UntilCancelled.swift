/// Waits until the task is cancelled: what a test holds up has no other end.
func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    try Task.checkCancellation()
}
