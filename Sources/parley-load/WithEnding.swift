/// Runs a body, and then what has to follow it however it ends, also when the task is cancelled.
func withEnding<Value>(
    _ body: () async throws -> Value,
    ending: () async -> Void
) async throws -> Value {
    let result: Result<Value, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    await ending()
    return try result.get()
}
