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
    private let notes: [Check]

    /// - Parameter notes: what an operator should know of a server that is ready all the same, said in the same way.
    package init(_ checks: [Check], notes: [Check] = []) {
        self.checks = checks
        self.notes = notes
    }

    func reasonsAgainst() async -> [String] { await Self.reasons(of: checks) }

    func currentNotes() async -> [String] { await Self.reasons(of: notes) }

    private static func reasons(of checks: [Check]) async -> [String] {
        var reasons: [String] = []
        for check in checks {
            if let reason = await check.reason() { reasons.append("\(check.name): \(reason)") }
        }
        return reasons
    }
}
