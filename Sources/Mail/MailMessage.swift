package import Foundation

/// A mail of plain text to one person.
package struct MailMessage: Sendable {
    /// Tells it from all others; the same for each try to deliver it.
    package let id: UUID
    package let date: Date
    package let from: MailAddress
    package let to: MailAddress
    package let subject: String
    /// With `\n` between lines.
    package let text: String

    package init(id: UUID, date: Date, from: MailAddress, to: MailAddress, subject: String, text: String) {
        self.id = id
        self.date = date
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
    }

    /// The mail as it travels (RFC 5322, with MIME by RFC 2045 and 2047).
    package func rendered() -> [UInt8] {
        let body = MailBody(text)
        let headers = [
            "Date: \(MailDate.text(date))",
            "From: \(MailHeader.mailbox(from))",
            "To: \(MailHeader.mailbox(to))",
            "Subject: \(MailHeader.text(subject))",
            "Message-ID: <\(id.uuidString.lowercased())@\(from.domain)>",
            // Keeps holiday notices from answering (RFC 3834).
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(body.encoding)",
        ]
        return Array((headers.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body.bytes
    }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
    /// Holds a person's address, and often a token.
    package var description: String { "<mail>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
