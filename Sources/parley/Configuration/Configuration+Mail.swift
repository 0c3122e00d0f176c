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
        guard let url = smtpURL.value else {
            for setting in [smtpUser, smtpPassword, smtpCertificates] where setting.value != nil {
                throw ConfigurationError("\(setting.environmentName) is of use only with \(smtpURL.environmentName)")
            }
            return isLoopback ? .files(in: "\(dataDirectory.value)/mail") : .none
        }
        guard mailFrom.value != nil else {
            throw ConfigurationError(
                "\(smtpURL.environmentName) needs a sender beside it: set \(mailFrom.environmentName)"
            )
        }
        do {
            return .server(
                try SMTPServer(
                    url: url,
                    user: smtpUser.value,
                    password: smtpPassword.value,
                    certificates: smtpCertificates.value
                )
            )
        } catch {
            throw ConfigurationError("\(smtpURL.environmentName) \(error)")
        }
    }

    /// The settings of mail as accounts use them.
    func mail() throws(ConfigurationError) -> MailConfiguration {
        let mailer: Mailer? =
            switch try mailDelivery() {
            case .server(let server): Mailer(.server(server))
            case .files(let directory): Mailer(.directory(MailDirectory(path: directory)))
            case .none: nil
            }
        var mail = MailConfiguration(mailer: mailer, from: try mailSender(), appURL: try checkedAppURL())
        mail.ratePerSecond = mailRate.value
        return mail
    }

    /// What an operator should know of mail; nil where there is a mail server.
    var mailNote: String? {
        switch try? mailDelivery() {
        case .server, nil: nil
        case .files: "without \(smtpURL.environmentName) mails are only written as files, in the data directory's mail/"
        case .some(.none): "without \(smtpURL.environmentName) mails wait and are not sent"
        }
    }

    /// Checks everything about mail that can be checked without sending any.
    func checkMail() throws(ConfigurationError) {
        _ = try mailDelivery()
        _ = try mailSender()
        _ = try checkedAppURL()
    }

    private func mailSender() throws(ConfigurationError) -> MailAddress? {
        let text = mailFrom.value ?? "no-reply@localhost"
        guard let sender = MailAddress(text) else {
            throw ConfigurationError(
                "\(mailFrom.environmentName) is not an address, or a name with one: Name <address>"
            )
        }
        return sender
    }

    /// Without the slash at the end.
    private func checkedAppURL() throws(ConfigurationError) -> String? {
        guard let text = appURL.value else { return nil }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.query == nil, parts.fragment == nil, parts.user == nil,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), text.utf8.count <= 500
        else {
            throw ConfigurationError("\(appURL.environmentName) is not of the form https://chat.example.org")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
