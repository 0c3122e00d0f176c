import ArgumentParser

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures Parley side by side with what it is compared to.",
        subcommands: [MeasureCommand.self, GrowthCommand.self, PeerCommand.self, DriveCommand.self],
        defaultSubcommand: MeasureCommand.self
    )
}
