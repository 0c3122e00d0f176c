import ArgumentParser

/// What all benchmarks share.
struct BenchOptions: ParsableArguments {
    @OptionGroup var target: TargetOptions

    @Option(help: "Members of each group.")
    var groupSize = 3

    @Option(help: "Groups to send in.")
    var conversations = 16

    @Option(help: "Length of a message's text.")
    var textLength = 80

    func validate() throws {
        guard (3...10_000).contains(groupSize) else { throw ValidationError("--group-size is 3 to 10,000") }
        guard (1...1000).contains(conversations) else { throw ValidationError("--conversations is 1 to 1,000") }
        guard (1...10_000).contains(textLength) else { throw ValidationError("--text-length is 1 to 10,000") }
    }
}
