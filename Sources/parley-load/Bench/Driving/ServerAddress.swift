import Foundation

/// Where to connect to, taken from a server's URL.
struct ServerAddress: Sendable {
    let host: String
    let port: Int

    /// nil for anything but plain HTTP: the generator measures the server, not TLS.
    init?(_ url: String) {
        guard let url = URL(string: url), url.scheme == "http", let host = url.host else { return nil }
        self.host = host
        port = url.port ?? 80
    }
}
