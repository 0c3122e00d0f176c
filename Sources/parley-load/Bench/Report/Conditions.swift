import Foundation

/// When, on what, and how something was measured.
struct Conditions: Sendable, Encodable {
    var date = Date()
    var machine = Machine.current()
    /// Known once the first server runs; nil where it is not Parley.
    var server: ServerDescription?
    var peer: String?
    let settings: BenchSettings

    init(settings: BenchSettings) {
        self.settings = settings
    }

    var description: String {
        "\(date.formatted(.iso8601))\n\(machine.description)\n\(server?.description ?? peer ?? "")"
            + (settings.quick ? "\n--quick: to see that it works, not to quote" : "")
    }
}
