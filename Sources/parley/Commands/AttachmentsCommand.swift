import ArgumentParser
import Attachments
import Foundation
import Logging

/// What operators do with files.
struct AttachmentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachments",
        abstract: "Move the files that people have uploaded.",
        subcommands: [Move.self]
    )

    /// Moves files between the directory and S3.
    struct Move: Command {
        static let configuration = CommandConfiguration(
            abstract: "Move all files to S3, or back to the directory.",
            discussion: """
                Beside a running server, which takes new files to where its own settings say. Each file is copied, looked at \
                and only then removed from where it was, so that it may be cut short and begun again. Files that are missing \
                or changed where they are stay there, are named, and the exit code is 1.
                """
        )

        @Option(help: "Where to: s3 or disk.")
        var to: Place

        @OptionGroup var settings: Configuration

        enum Place: String, ExpressibleByArgument {
            case s3, disk
        }

        func execute(logger: Logger) async throws {
            if to == .s3, try settings.s3Bucket() == nil {
                throw ConfigurationError("\(settings.attachments.endpoint.environmentName) says where to")
            }
            let moved = try await Database.with(settings, logger: logger) { database in
                let files = try await OpenFiles.open(settings, on: database, logger: logger)
                let result: Result<Attachments.Moved, any Error>
                do {
                    result = .success(try await files.attachments.move(to: to == .s3 ? .s3 : .disk))
                } catch {
                    result = .failure(error)
                }
                await files.close()
                return try result.get()
            }
            for finding in moved.findings { print(finding) }
            print("\(moved.files) files moved to \(to.rawValue)")
            if !moved.findings.isEmpty { throw ExitCode(1) }
        }
    }
}
