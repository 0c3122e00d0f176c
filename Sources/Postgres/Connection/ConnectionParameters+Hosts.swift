/// The hosts of a connection one by one.
///
/// libpq goes through a list of hosts by itself, but a caller that waits for its socket cannot tell it to leave a host that
/// keeps silent. So each host is an attempt of its own, with its share of the time.
extension ConnectionParameters {
    /// The attempts to make, in their order; one where libpq alone knows the hosts (a service file, the environment).
    var attempts: [ConnectionParameters] {
        let hosts = self.hosts
        guard hosts.count > 1, values["target_session_attrs"] == "prefer-standby" else { return hosts }
        // As libpq does: all hosts for a standby, then all of them for anyone.
        return hosts.map { $0.with("target_session_attrs", "standby") }
            + hosts.map { $0.with("target_session_attrs", "any") }
    }

    private var hosts: [ConnectionParameters] {
        let names = Self.list(values["host"])
        let addresses = Self.list(values["hostaddr"])
        let ports = Self.list(values["port"])
        let count = max(names.count, addresses.count)
        // Lists of different lengths are libpq's to complain of.
        let isEven = [names.count, addresses.count].allSatisfy { $0 == 0 || $0 == count }
        guard count > 1, isEven, ports.count <= 1 || ports.count == count else { return [self] }
        let hosts = (0..<count).map { index in
            var host = self
            if !names.isEmpty { host.values["host"] = names[index] }
            if !addresses.isEmpty { host.values["hostaddr"] = addresses[index] }
            if ports.count > 1 { host.values["port"] = ports[index] }
            host.values["load_balance_hosts"] = nil
            return host
        }
        return values["load_balance_hosts"] == "random" ? hosts.shuffled() : hosts
    }

    private static func list(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    }

    private func with(_ keyword: String, _ value: String) -> ConnectionParameters {
        var changed = self
        changed.values[keyword] = value
        return changed
    }
}
