import API
import ArgumentParser
import EventStore
import Foundation
import Identity
import Logging
import Migrations
import Postgres
import ReadModels

/// Takes what deleted messages and erased people left behind off the disk.
struct Scrub: Command {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Rewrite the disk, so that nothing deleted or erased is left on it.",
        discussion: """
            An erasure destroys a key and clears tables, a deletion blanks a text; PostgreSQL keeps the old bytes in its \
            files until it needs the room. This command finishes erasures that are under way, builds the read models anew, \
            rewrites all other tables that held anything personal, the parts of the log that deleted messages were taken \
            out of, and the statistics about them. In the private PostgreSQL it also drops the old write-ahead log, and the \
            mails that were written as files. A search of the data directory for a deleted or erased text, name or email \
            finds nothing after it. Works beside a running server; each table is locked for the moment of its rewriting. \
            Erasures that are asked for meanwhile take another run.

            With a DATABASE_URL it does what the account may, and says what is left to the operator.

            What it cannot reach: backups and copies of the disk, which hold what they held until they are deleted; \
            archives and standbys of a PostgreSQL of your own; blocks that the file system or an SSD has freed and not \
            overwritten. A backup of the log alone gives nothing back without the table `parley.person_keys`: keep that \
            table apart, and for a short time only.
            """
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let left = try await Database.with(settings, logger: logger) { database in
            try await scrub(database, logger: logger)
        }
        for line in left { print("left        \(line)") }
        print(left.isEmpty ? "done" : "done, but for what is left to you")
    }

    /// - Returns: what is left to the operator.
    private func scrub(_ database: Database, logger: Logger) async throws -> [String] {
        let finished = try await Server.operate(settings, on: database, logger: logger) { server in
            try await server.eraser.finishAll()
        }
        print("erasures    \(finished) finished")
        let rebuilt = try await database.rebuildReadModels(settings, logger: logger)
        print("read models \(rebuilt.events) events projected anew")
        let scrubber = Scrubber(database: database, isPrivate: settings.databaseURL.value == nil, logger: logger)
        var left = try await scrubber.run()
        let mails = try OldMails(dataDirectory: settings.dataDirectory.value).remove()
        print("mails       \(mails) removed")
        if settings.databaseURL.value != nil {
            left.append("standbys, the archive of the write-ahead log, and the server's own logs")
        }
        return left + ["backups and copies, which hold what they held"]
    }
}
