import ArgumentParser
import Foundation

/// Which server is measured: one that is made for it, or one that is there.
struct ServerOptions: ParsableArguments {
    @Option(help: "Measure the server at this address instead of one made for it. It fills with people and groups.")
    var server: String?

    @Option(
        help: ArgumentHelp(
            "With --server: the PostgreSQL of that server, for an account that owns it. (environment: DATABASE_URL)",
            valueName: "url"
        )
    )
    var databaseURL: String?

    @Option(
        name: .customLong("data-dir"),
        help: "With --server: its data directory on this machine, where its private PostgreSQL is."
    )
    var dataDirectory: String?

    @Option(help: "With --server: its process on this machine, for its memory.")
    var pid: Int32?

    @Option(help: "Where the databases of servers made for a measurement are put. (default: the temporary directory)")
    var dataParent: String?

    @Option(help: "The program to measure. (default: the parley beside this program)")
    var parley: String?

    @Option(help: "The cost of hashing passwords on servers made for a measurement; the default registers quickly.")
    var scryptCost: Int?

    func validate() throws {
        if let server, ServerAddress(server) == nil {
            throw ValidationError("--server \(server): not an address like http://127.0.0.1:8080")
        }
        guard server != nil || (databaseURL == nil && dataDirectory == nil && pid == nil) else {
            throw ValidationError("--database-url, --data-dir and --pid belong to --server")
        }
        guard databaseURL == nil || dataDirectory == nil else {
            throw ValidationError("--database-url and --data-dir name two databases")
        }
    }

    var source: ServerSource {
        get throws {
            guard let server else {
                let program = try parley ?? Self.programBeside()
                guard FileManager.default.isExecutableFile(atPath: program) else {
                    throw ValidationError("there is no program \(program): build it, or name it with --parley")
                }
                return .staged(program: program, parent: dataParent, scryptCost: scryptCost)
            }
            if let dataDirectory { return .attached(server: server, .directory(dataDirectory), pid: pid) }
            let url = databaseURL ?? ProcessInfo.processInfo.environment["DATABASE_URL"]
            return .attached(server: server, url.map { .url($0) }, pid: pid)
        }
    }

    private static func programBeside() throws -> String {
        let own = URL(fileURLWithPath: try ownProgram())
        return own.deletingLastPathComponent().appendingPathComponent("parley").path
    }

    /// This very program.
    static func ownProgram() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }
}
