import ArgumentParser
import EventSourcing
import EventStore
import Foundation
import Logging
import Postgres
import ReadModels

/// Shows what read models have left out, and brings it back.
struct Parked: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "List what read models could not take; try it again, or leave it out.",
        discussion: """
            An event that a read model cannot take parks its stream (a conversation, its receipts, or a person) for that \
            read model: it stops following the stream, and all else goes on. Fix the cause, usually by an upgrade, and \
            `retry`; or `skip` the event, which is recorded and holds for every rebuild.
            """,
        subcommands: [ParkedList.self, ParkedRetry.self, ParkedSkip.self],
        defaultSubcommand: ParkedList.self
    )
}

struct ParkedList: Command {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the parked streams, and the events that were skipped.",
        discussion: "An event is shown as partition:position."
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let (parked, skipped) = try await Database.with(settings, logger: logger) { database in
            let pool = PostgresPool(PostgresConfiguration(url: database.url, role: "parley_server"), logger: logger)
            let result = try await pool.withConnection { connection in
                (try await ParkedStream.read(on: connection), try await SkippedEvent.read(on: connection))
            }
            await pool.close()
            return result
        }
        print(parked.isEmpty ? "nothing is parked" : ParkedTable.text(parked))
        for event in skipped {
            let place = "\(event.partition):\(event.position) of \(event.stream.text)"
            let moment = event.skippedAt.ISO8601Format()
            print("skipped by \(event.projection): \(place), by \(event.skippedBy) at \(moment): \(event.reason)")
        }
    }
}

struct ParkedRetry: Command {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try again what was left out.",
        discussion: """
            Makes the rows of each conversation or person anew from its whole history, in one transaction; projecting of \
            its partition waits for that long. Works beside a running server. Ends with 1 where something stays parked.
            """
    )

    @OptionGroup var choice: ParkedChoice
    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        try await choice.unpark(skip: nil, settings, logger: logger)
    }
}

struct ParkedSkip: Command {
    static let configuration = CommandConfiguration(
        commandName: "skip",
        abstract: "Leave out for good the event at which a stream is parked, and follow the stream again.",
        discussion: """
            Who skipped it, when and why is recorded, and every rebuild leaves it out, too. What follows the event may not \
            fit without it, and park the stream again. Ends with 1 where something stays parked.
            """
    )

    @Option(help: "Why: recorded, and shown by `parley parked`.")
    var reason: String

    @OptionGroup var choice: ParkedChoice
    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard choice.id != nil else { throw UsageError("name the stream: parley parked skip ID --reason …") }
        guard !reason.allSatisfy(\.isWhitespace) else { throw UsageError("--reason is empty") }
        try await choice.unpark(skip: .init(reason: reason, by: OperatorName.current), settings, logger: logger)
    }
}

/// What of the parked streams a command is about.
struct ParkedChoice: ParsableArguments {
    @Argument(help: "The id of the conversation or person, as the list shows it; all by default.")
    var id: String?

    @Option(help: "The read model, as the list shows it; all by default.")
    var projection: String?

    func unpark(skip: Unparking.Skip?, _ settings: Configuration, logger: Logger) async throws {
        let report = try await Database.with(settings, logger: logger) { database in
            let opened = try await OpenLog.open(settings, on: database, logger: logger)
            let unparking = Unparking(log: opened.log, database: opened.configuration, logger: logger)
            let result: Result<Unparking.Report, any Error>
            do {
                result = .success(try await unparking.run(try streamID(), projection: projection, skip: skip))
            } catch {
                result = .failure(error)
            }
            await opened.pool.close()
            return try result.get()
        }
        guard !report.tried.isEmpty else { return print("nothing of the kind is parked") }
        let verb = skip == nil ? "tried again" : "skipped"
        print("\(report.tried.count) \(verb), \(report.left.count) of the same streams parked now")
        guard report.left.isEmpty else {
            print(ParkedTable.text(report.left))
            throw ExitCode(1)
        }
    }

    /// The list shows streams, with their category before the id.
    private func streamID() throws -> UUID? {
        guard let id else { return nil }
        if let id = UUID(uuidString: String(id.suffix(36))) { return id }
        throw UsageError("\(id) is no id of a conversation or person")
    }
}

/// Parked streams for a terminal: one a line.
private enum ParkedTable {
    static func text(_ parked: [ParkedStream]) -> String {
        let rows = parked.map { parked in
            [
                parked.stream.text, parked.projection, "\(parked.partition):\(parked.position)", "\(parked.events)",
                "\(parked.attempts)", parked.error,
            ]
        }
        return TextTable.text([["stream", "read model", "event", "left out", "attempts", "error"]] + rows)
    }
}

extension StreamID {
    fileprivate var text: String { "\(category.rawValue)-\(id.uuidString.lowercased())" }
}
