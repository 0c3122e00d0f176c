import ArgumentParser
import Foundation
import Logging

/// Prints every setting, its value, and where the value comes from.
struct Config: Command {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "List all settings with their values and where these come from.",
        discussion: "Secrets are shown as ***."
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let rows = settings.all.map { setting in
            let shown = setting.isSecret && setting.text != nil ? "***" : setting.text ?? "-"
            return ["--\(setting.name)", setting.environmentName, setting.source.rawValue, shown]
        }
        for row in rows {
            let padded = zip(row, [25, 30, 13]).map {
                $0.padding(toLength: max($1, $0.count + 1), withPad: " ", startingAt: 0)
            }
            print(padded.joined() + (row.last ?? ""))
        }
    }
}
