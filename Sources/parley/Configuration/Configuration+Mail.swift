import Foundation
import Identity
import Mail

extension Configuration {
    /// What becomes of mails.
    enum MailDelivery {
        case server(SMTPServer)
        /// Written as files: only where nobody but this machine can reach the server.
        case files(in: String)
        /// They wait until there is a mail server.
        case none
    }

    func mailDelivery() throws(ConfigurationError) -> MailDelivery {
        guard let url = mail.url.value else {
            for setting in [mail.user, mail.password, mail.certificates] where setting.value != nil {
                throw ConfigurationError("\(setting.environmentName) is of use only with \(mail.url.environmentName)")
            }
            return isLoopback ? .files(in: "\(dataDirectory.value)/mail") : .none
        }
        guard mail.sender.value != nil else {
            throw ConfigurationError(
                "\(mail.url.environmentName) needs a sender beside it: set \(mail.sender.environmentName)"
            )
        }
        do {
            return .server(
                try SMTPServer(
                    url: url,
                    user: mail.user.value,
                    password: mail.password.value,
                    certificates: mail.certificates.value
                )
            )
        } catch {
            throw ConfigurationError("\(mail.url.environmentName) \(error)")
        }
    }

    /// The settings of mail as accounts use them.
    ///
    /// - Parameter serves: whether this process serves clients. One that does not leaves mails that would become files to the
    ///   servers, which may well have somewhere to send them.
    func mailConfiguration(serves: Bool) throws(ConfigurationError) -> MailConfiguration {
        let mailer: Mailer? =
            switch try mailDelivery() {
            case .server(let server): Mailer(.server(server))
            case .files(let directory): serves ? Mailer(.directory(MailDirectory(path: directory))) : nil
            case .none: nil
            }
        var configuration = MailConfiguration(mailer: mailer, from: try mailSender(), appURL: try checkedAppURL())
        configuration.ratePerSecond = mail.ratePerSecond.value
        configuration.operatorAddress = try operatorAddress()
        return configuration
    }

    /// What an operator should know of mail; nil where there is a mail server.
    var mailNote: String? {
        let name = mail.url.environmentName
        return switch try? mailDelivery() {
        case .server, nil: nil
        case .files: "without \(name) mails are only written as files, in the data directory's mail/"
        case .some(.none): "without \(name) mails wait and are not sent"
        }
    }

    /// Checks everything about mail that can be checked without sending any.
    func checkMail() throws(ConfigurationError) {
        _ = try mailDelivery()
        _ = try mailSender()
        _ = try checkedAppURL()
        _ = try operatorAddress()
    }

    private func operatorAddress() throws(ConfigurationError) -> EmailAddress? {
        guard let text = mail.operatorAddress.value else { return nil }
        do { return try EmailAddress(text) } catch {
            throw ConfigurationError("\(mail.operatorAddress.environmentName) is not an email address")
        }
    }

    private func mailSender() throws(ConfigurationError) -> MailAddress? {
        let text = mail.sender.value ?? "no-reply@localhost"
        guard let sender = MailAddress(text) else {
            throw ConfigurationError(
                "\(mail.sender.environmentName) is not an address, or a name with one: Name <address>"
            )
        }
        return sender
    }

    /// Without the slash at the end.
    private func checkedAppURL() throws(ConfigurationError) -> String? {
        guard let text = mail.appURL.value else { return nil }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.query == nil, parts.fragment == nil, parts.user == nil,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), text.utf8.count <= 500
        else {
            throw ConfigurationError("\(mail.appURL.environmentName) is not of the form https://chat.example.org")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
