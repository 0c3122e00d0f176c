import ArgumentParser

/// The settings of the web client.
struct WebSettings: ParsableArguments {
    @Option(Setting("web", default: "on", .onOrOff, "Whether the web client is served at /."))
    var isServed: Setting<Bool>

    @Option(
        Setting(
            optional: "web-dir",
            .text,
            "A folder that has the web client's files in place of those in the program, for those who work on it."
        )
    )
    var folder: Setting<String?>
}
