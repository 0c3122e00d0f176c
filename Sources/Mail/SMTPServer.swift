import Foundation

/// The mail server that takes mails over, and how it is spoken to.
package struct SMTPServer: Sendable {
    /// How the connection is kept secret.
    enum Security: Sendable {
        /// TLS from the first byte.
        case implicit
        /// STARTTLS, or no mail at all.
        case startTLS
        /// None: only on this machine.
        case none
    }

    let host: String
    let port: Int
    let security: Security
    let user: String?
    let password: String?
    /// The certificates that are trusted in place of the system's.
    let certificates: String?
    package var connectTimeout: Duration = .seconds(10)
    /// For the whole delivery of one mail.
    package var timeout: Duration = .seconds(30)

    /// Reads `smtp://host:587` or `smtps://host:465`, with `user:password@` in front of the host if need be.
    ///
    /// `smtp` insists on STARTTLS, unless the host is this machine and no `certificates` are given.
    ///
    /// - Throws: a sentence that says what is wrong, without the url.
    package init(
        url: String,
        user: String? = nil,
        password: String? = nil,
        certificates: String? = nil
    ) throws(MailError) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["smtp", "smtps"].contains(scheme)
        else { throw Self.wrong("is not of the form smtp://host:587 or smtps://host:465") }
        guard let host = parts.host, !host.isEmpty, host.unicodeScalars.allSatisfy({ $0.isPrintable && $0 != " " })
        else { throw Self.wrong("names no host") }
        guard ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil else {
            throw Self.wrong("has more than a host and a port")
        }
        let port = parts.port ?? (scheme == "smtps" ? 465 : 587)
        guard (1...65_535).contains(port) else { throw Self.wrong("has a port that is none") }
        self.host = host
        self.port = port
        self.user = user ?? parts.user
        self.password = password ?? parts.password
        self.certificates = certificates
        guard (self.user == nil) == (self.password == nil) else { throw Self.wrong("has a user or a password alone") }
        security =
            switch scheme {
            case "smtps": .implicit
            case _ where Self.isThisMachine(host) && certificates == nil: .none
            case _: .startTLS
            }
    }

    private static func wrong(_ reason: String) -> MailError { MailError(isPassing: false, reason) }

    private static func isThisMachine(_ host: String) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = octets.count == 4 && octets.allSatisfy { UInt8($0) != nil } && octets[0] == "127"
        return isIPv4 || ["localhost", "::1", "[::1]"].contains(host.lowercased())
    }
}

extension SMTPServer: CustomStringConvertible, CustomReflectable {
    package var description: String { "mail server \(host):\(port)" }
    /// Without the password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
