/// Where the server is and how a session there is set up.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection URI (`postgresql://…`) or `key=value` string; everything that libpq knows works (`sslmode` …).
    package let url: String
    package var applicationName: String
    /// The role that the session assumes; the URL's user must be a member of it.
    package var role: String?
    /// Run-time settings of the session, for example `["statement_timeout": "5s"]`.
    package var settings: [String: String]
    /// For all hosts and addresses together, each host having an equal part of what those before it left; a
    /// `connect_timeout` in the URL goes first.
    package var connectTimeout: Duration
    /// How long the server may take to answer a cancel or a ROLLBACK before the session is given up.
    package var patience: Duration = .seconds(5)
    /// How many prepared statements a session keeps.
    package var preparedStatements = 256

    package init(
        url: String,
        applicationName: String = "parley",
        role: String? = nil,
        settings: [String: String] = [:],
        connectTimeout: Duration = .seconds(5)
    ) {
        self.url = url
        self.applicationName = applicationName
        self.role = role
        self.settings = settings
        self.connectTimeout = connectTimeout
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host, port, database and user; never the password.
    package var description: String {
        guard let parameters = ConnectionParameters(self) else { return "PostgreSQL (malformed URL)" }
        let shown = ["host", "hostaddr", "port", "dbname", "user"].compactMap { key in
            parameters[key].map { "\(key)=\($0)" }
        }
        return "PostgreSQL (\(shown.joined(separator: " ")))"
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
