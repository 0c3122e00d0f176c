import Postgres

/// Where the measured server comes from.
enum ServerSource: Sendable {
    /// Started for each row, with a database of its own.
    case staged(program: String, parent: String?, scryptCost: Int?)
    case attached(server: String, Database?, pid: Int32?)

    /// Where a server that is there has its PostgreSQL.
    enum Database: Sendable {
        case url(String)
        /// A data directory with a private PostgreSQL.
        case directory(String)
    }

    /// Lends a server that answers.
    ///
    /// - Parameter scryptCost: for a server that is started, where the command line names none.
    func with<Value>(scryptCost: Int?, _ body: (MeasuredServer) async throws -> Value) async throws -> Value {
        switch self {
        case .staged(let program, let parent, let chosen):
            let staged = try StagedServer(program: program, parent: parent, scryptCost: chosen ?? scryptCost)
            return try await staged.with(body)
        case .attached(let server, let database, let pid):
            guard let address = ServerAddress(server) else {
                throw Unmeasurable("\(server) is no address like http://127.0.0.1:8080")
            }
            let databaseURL: String? =
                switch database {
                case .url(let url): url
                case .directory(let path): try await Self.privatePostgres(in: path)
                case nil: nil
                }
            return try await body(MeasuredServer(url: server, address: address, databaseURL: databaseURL, pid: pid))
        }
    }

    private static func privatePostgres(in dataDirectory: String) async throws -> String {
        guard let url = try await EmbeddedPostgres.runningURL(dataDirectory: dataDirectory) else {
            throw Unmeasurable("no server runs on the data directory \(dataDirectory)")
        }
        return url
    }
}
