import NIOCore

/// Where a server is reached from its own machine.
struct OwnAddress: CustomStringConvertible {
    let host: String
    let port: Int

    /// - Parameter host: the one that the server listens on.
    init(listeningOn host: String, _ port: Int) {
        // Who listens on every address listens on the loopback one.
        self.host =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            case _: host
            }
        self.port = port
    }

    /// As it stands in a URL.
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension Configuration {
    /// What a person on this machine opens in a browser; nil where no web client is served, or where it is reached by a
    /// proxy's name alone.
    func webClientURL(at address: SocketAddress?) -> String? {
        guard web.isServed.value, !behindTLS.value, let host = address?.ipAddress, let port = address?.port else {
            return nil
        }
        return "http://\(OwnAddress(listeningOn: host, port))"
    }
}
