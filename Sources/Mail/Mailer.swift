/// Delivers mails, one after the other.
package final class Mailer: Sendable {
    package enum Destination: Sendable {
        case server(SMTPServer)
        case directory(MailDirectory)
    }

    private let destination: Destination
    private let thread = MailThread()

    package init(_ destination: Destination) {
        self.destination = destination
    }

    /// Returns when the mail server has taken the mail over, or the file is there.
    ///
    /// Cancelled, it gives up unless the whole mail is on its way by then: the outcome of what was sent is waited for.
    ///
    /// - Throws: `MailError`, `CancellationError`.
    package func send(_ message: MailMessage) async throws {
        let destination = destination
        try await thread.run { abandoned in
            switch destination {
            case .server(let server): try server.send(message, unless: abandoned)
            case .directory(let directory): try directory.write(message)
            }
        }
    }
}
