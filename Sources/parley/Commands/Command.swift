import ArgumentParser
import Edge
import EventStore
import Foundation
import Identity
import Logging
import Postgres
import ReadModels

/// A subcommand that uses the configuration, and ends with an exit code that tells what kind of failure it was.
protocol Command: AsyncParsableCommand {
    var settings: Configuration { get }

    func execute(logger: Logger) async throws
}

extension Command {
    func run() async throws {
        do {
            try settings.check()
            try await execute(logger: Self.logger(settings.operation))
        } catch let code as ExitCode {
            throw code
        } catch {
            let hint = hint(for: error).map { " (\($0))" } ?? ""
            FileHandle.standardError.write(Data("parley: \(error)\(hint)\n".utf8))
            throw exitCode(for: error)
        }
    }

    /// The settings that an error is about, where the part that failed does not know their names.
    private func hint(for error: any Error) -> String? {
        let names: [any ListedSetting] =
            switch error {
            case is ListenError: [settings.host, settings.port, settings.operation.port]
            case IdentityStartError.wrongMasterKey: [settings.secrets.masterKey, settings.secrets.masterKeyFile]
            case EmbeddedPostgresError.notInstalled: [settings.postgresBinaries]
            case EmbeddedPostgresError.unusableDirectory, EmbeddedPostgresError.inUse: [settings.dataDirectory]
            case is PostgresConnectionError, is PostgresError:
                settings.databaseURL.value == nil ? [] : [settings.databaseURL, settings.migrateURL]
            default: []
            }
        return names.isEmpty ? nil : names.map(\.environmentName).joined(separator: ", ")
    }

    /// The codes of `sysexits.h`, so that a supervisor can tell "try again" from "do not try again".
    private func exitCode(for error: any Error) -> ExitCode {
        switch error {
        case is UsageError: ExitCode(64)
        case is ConfigurationError, IdentityStartError.wrongMasterKey: ExitCode(78)
        case let error as EmbeddedPostgresError:
            if case .unusableDirectory = error { ExitCode(78) } else { ExitCode(69) }
        case is PostgresConnectionError, is ListenError: ExitCode(69)
        case is NewerLog, MigrationError.newerDatabase, ProjectionError.newerEvent: ExitCode(76)
        case is NoSuchAccount, is NoSuchReport, is NotDone: ExitCode(1)
        case _: ExitCode(70)
        }
    }

    /// Logs go to standard error: standard output belongs to the command's answer.
    private static func logger(_ settings: OperationSettings) -> Logger {
        let level = settings.logLevel.value
        let format = settings.logFormat.value
        LoggingSystem.bootstrap(
            { label, provider in
                switch format {
                case .text:
                    var handler = StreamLogHandler.standardError(label: label, metadataProvider: provider)
                    handler.logLevel = level
                    return handler
                case .json:
                    // One call, one line: lines of several threads do not mix.
                    let write: JSONLogHandler.Write = { try? FileHandle.standardError.write(contentsOf: $0) }
                    return JSONLogHandler(label: label, level: level, provider: provider, write: write)
                }
            },
            metadataProvider: CurrentRequest.metadata
        )
        return Logger(label: "parley")
    }
}

/// A command was given without what it needs.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
