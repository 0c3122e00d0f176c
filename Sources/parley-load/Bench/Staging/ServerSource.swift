/// Where the measured server comes from.
enum ServerSource: Sendable {
    /// Started for each row, with a database of its own.
    case staged(program: String, parent: String?, scryptCost: Int?)
    case attached(server: String, databaseURL: String?, pid: Int32?)

    /// Lends a server that answers.
    ///
    /// - Parameter scryptCost: for a server that is started, where the command line names none.
    func with<Value>(scryptCost: Int?, _ body: (MeasuredServer) async throws -> Value) async throws -> Value {
        switch self {
        case .staged(let program, let parent, let wanted):
            let staged = try StagedServer(program: program, parent: parent, scryptCost: wanted ?? scryptCost)
            return try await staged.with(body)
        case .attached(let server, let databaseURL, let pid):
            guard let address = ServerAddress(server) else {
                throw Unmeasurable("\(server) is no address like http://127.0.0.1:8080")
            }
            return try await body(MeasuredServer(url: server, address: address, databaseURL: databaseURL, pid: pid))
        }
    }
}
