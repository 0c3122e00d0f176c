extension Progress {
    /// Shows a phase that ends by the clock while it runs, with what the meter counts.
    func follow<Value: Sendable>(
        _ phase: String,
        lasting length: Duration,
        meter: LoadMeter = LoadMeter(),
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        begin(phase, lasting: length)
        return try await follow(meter, body)
    }

    /// Shows a phase that ends when so much is done.
    func follow<Value: Sendable>(
        _ phase: String,
        total: Int,
        meter: LoadMeter,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        begin(phase, total: total)
        return try await follow(meter, body)
    }

    private func follow<Value: Sendable>(
        _ meter: LoadMeter,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        defer {
            advance(to: meter.count)
            end()
        }
        // Leaving the scope cancels what shows, and waits for it.
        async let _: Void = show(meter)
        return try await body()
    }

    private func show(_ meter: LoadMeter) async {
        while !Task.isCancelled {
            advance(to: meter.count)
            // Ends early when it is cancelled.
            try? await Task.sleep(for: .milliseconds(250))
        }
    }
}
