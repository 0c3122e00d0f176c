import ArgumentParser
import EventStore
import Foundation
import Identity
import Logging
import Messaging
import Postgres
import ReadModels

/// Shows what people have reported, and takes it out of the queue.
struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "List what people have reported, look at it, and close it.",
        discussion: """
            A report holds the text as the reporter saw it and what its files were, sealed, whatever has become of the message \
            since. Who reads it, and who closes it, is recorded with it. Nothing follows by itself: what can be done about a \
            person is `parley deactivate`.
            """,
        subcommands: [ReportsList.self, ReportsShow.self, ReportsClose.self],
        defaultSubcommand: ReportsList.self
    )
}

struct ReportsList: Command {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the reports that nobody has closed, the oldest first.",
        discussion: "Says nothing of what was written: `parley reports show ID` does."
    )

    @Flag(help: "List those that were closed, the last one first.")
    var closed = false

    @Option(help: "How many at most, 1 to 1000.")
    var limit = 50

    @OptionGroup var settings: Configuration

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
    }

    func execute(logger: Logger) async throws {
        let entries = try await Reports.with(settings, logger: logger) { reports in
            // One more tells whether there are more.
            try await reports.list(closed: closed, limit: limit + 1)
        }
        guard !entries.isEmpty else { return print(closed ? "no report was closed" : "no report waits") }
        let head = ["report", closed ? "closed" : "received", "reason", "about", "by"]
        let rows = entries.prefix(limit).map { entry in
            [
                entry.id.text, (entry.closedAt ?? entry.createdAt).ISO8601Format(), TerminalText.line(entry.reason),
                about(entry), entry.reporter.label,
            ]
        }
        print(TextTable.text([head] + rows))
        if entries.count > limit { print("… and more: --limit") }
    }

    private func about(_ entry: Reports.Entry) -> String {
        let thing = entry.message == nil ? entry.conversation.map { _ in "a conversation" } : "a message"
        return [thing, entry.person?.label].compactMap { $0 }.joined(separator: " of ")
    }
}

struct ReportsShow: Command {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a report with its evidence, which is recorded.",
        discussion: "What would control the terminal is spelled out, as in \\u{1b}."
    )

    @OptionGroup var choice: ReportChoice
    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let id = try choice.report()
        let opened = try await Reports.with(settings, logger: logger) { reports in
            try await reports.open(id, by: OperatorName.current, beside: Reports.audit("report.open", id))
        }
        guard let opened else { throw NoSuchReport(description: "there is no report \(id.text)") }
        print(text(opened))
    }

    private func text(_ opened: Reports.Opened) -> String {
        let entry = opened.entry
        var lines = [("report", entry.id.text), ("received", entry.createdAt.ISO8601Format())]
        lines.append(("reason", TerminalText.line(entry.reason)))
        lines.append(("by", entry.reporter.full))
        if let person = entry.person { lines.append(("about", person.full)) }
        if let conversation = entry.conversation { lines.append(("in", conversation.text)) }
        if let message = entry.message { lines.append(("message", message.text)) }
        if let sentAt = opened.evidence?.sentAt { lines.append(("sent", sentAt.ISO8601Format())) }
        if let editedAt = opened.evidence?.editedAt { lines.append(("edited", editedAt.ISO8601Format())) }
        for file in opened.evidence?.files ?? [] {
            let details = "\(TerminalText.line(file.contentType)), \(file.bytes) bytes, \(file.id.text)"
            lines.append(("file", "\(file.name.map(TerminalText.line) ?? "unnamed") (\(details))"))
        }
        for action in opened.actions {
            let note = action.note.map { ": \(TerminalText.line($0))" } ?? ""
            let what = action.kind?.rawValue ?? "changed"
            lines.append((what, "\(action.at.ISO8601Format()) by \(TerminalText.line(action.operator))\(note)"))
        }
        var parts = lines.map { "\($0.padding(toLength: 10, withPad: " ", startingAt: 0))\($1)" }
        if let text = opened.evidence?.text { parts += ["what was said", TerminalText.block(text)] }
        if let comment = opened.evidence?.comment {
            parts += ["what the reporter says of it", TerminalText.block(comment)]
        }
        if opened.evidence == nil { parts.append("The evidence is gone: who was reported has been erased.") }
        return parts.joined(separator: "\n")
    }
}

struct ReportsClose: Command {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Take a report out of the queue, with a word on what was done."
    )

    @OptionGroup var choice: ReportChoice

    @Option(help: "What was done, up to 1000 characters: recorded in the clear, so it should quote nobody.")
    var note: String

    @OptionGroup var settings: Configuration

    func validate() throws {
        guard !note.allSatisfy(\.isWhitespace), note.unicodeScalars.count <= 1_000 else {
            throw ValidationError("--note has 1 to 1000 characters")
        }
    }

    func execute(logger: Logger) async throws {
        let id = try choice.report()
        let isClosed = try await Reports.with(settings, logger: logger) { reports in
            try await reports.close(
                id,
                by: OperatorName.current,
                note: note,
                beside: Reports.audit("report.close", id)
            )
        }
        guard isClosed else { throw NoSuchReport(description: "no report \(id.text) waits") }
        print("closed      \(id.text)")
    }
}

/// Which report a command is about.
struct ReportChoice: ParsableArguments {
    @Argument(help: "The report's id, as the list shows it.")
    var id: String

    func validate() throws { _ = try report() }

    func report() throws -> UUID {
        guard let id = UUID(uuidString: id) else {
            throw ValidationError("\(TerminalText.line(id)) is no report's id")
        }
        return id
    }
}

/// A report is named that there is not, or that waits no longer.
struct NoSuchReport: Error, CustomStringConvertible {
    let description: String
}

extension Reports {
    /// Writes what is done on the machine into the operators' audit.
    fileprivate static func audit(_ action: String, _ id: UUID) -> Beside {
        { connection in
            try await AuditLog.record(action, of: id.text, by: OperatorName.onConsole, on: connection)
        }
    }

    fileprivate static func with<Result: Sendable>(
        _ settings: Configuration,
        logger: Logger,
        _ body: @Sendable (Reports) async throws -> Result
    ) async throws -> Result {
        try await Database.with(settings, logger: logger) { database in
            let opened = try await OpenLog.open(settings, on: database, logger: logger)
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body(Reports(pool: opened.pool, keyring: opened.keyring)))
            } catch {
                result = .failure(error)
            }
            await opened.pool.close()
            return try result.get()
        }
    }
}

extension Reports.Someone {
    /// As the directory has the name, or by the id alone.
    fileprivate var label: String { name.map(TerminalText.line) ?? id.text }

    fileprivate var full: String { name.map { "\(TerminalText.line($0)) (\(id.text))" } ?? id.text }
}

extension UUID {
    fileprivate var text: String { uuidString.lowercased() }
}
