extension PostgresConfiguration {
    /// The connection as an entry of a libpq service file, for a program of PostgreSQL's: others can see a program's
    /// arguments, and the URL may hold a password. The file must be readable to its owner only.
    ///
    /// - Throws: `PostgresConnectionError.connectFailed` where libpq cannot read the URL, or a service file cannot hold it.
    package func serviceFile(named name: String) throws -> String {
        guard let parameters = ConnectionParameters(self), let lines = parameters.serviceLines else {
            throw PostgresConnectionError.connectFailed("malformed connection URL")
        }
        return "[\(name)]\n\(lines)"
    }
}
