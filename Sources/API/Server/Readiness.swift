/// Whether the server can do its work, and why not.
package struct Readiness: Sendable {
    package struct Check: Sendable {
        let name: String
        let reason: @Sendable () async -> String?

        /// - Parameter reason: says in a few words why the server is not ready, and nil where it is.
        package init(_ name: String, reason: @escaping @Sendable () async -> String?) {
            self.name = name
            self.reason = reason
        }
    }

    private let checks: [Check]

    package init(_ checks: [Check]) {
        self.checks = checks
    }

    func reasonsAgainst() async -> [String] {
        var reasons: [String] = []
        for check in checks {
            if let reason = await check.reason() { reasons.append("\(check.name): \(reason)") }
        }
        return reasons
    }
}
