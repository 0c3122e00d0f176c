import Benchmark

/// What profiles of the server showed to matter: see Deploy/bench-micro.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = Benchmark.Configuration(
        metrics: [.wallClock, .instructions],
        warmupIterations: 20,
        scalingFactor: .one,
        maxDuration: .seconds(2),
        maxIterations: 20_000
    )
    addSendingBenchmarks()
    addLogBenchmarks()
    addReadingBenchmarks()
}
