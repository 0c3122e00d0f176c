import Foundation
import Mail
import Testing

@testable import Identity

/// A directory that mails are written into, and read from again.
struct MailBox: Sendable {
    let path = "/tmp/parley-mailbox-\(UUID().uuidString.lowercased())"

    var configuration: MailConfiguration {
        var mail = MailConfiguration(
            mailer: Mailer(.directory(MailDirectory(path: path))),
            from: MailAddress("no-reply@example.org"),
            appURL: "https://chat.example.org"
        )
        mail.ratePerSecond = 1_000
        return mail
    }

    static func with(_ body: (MailBox) async throws -> Void) async throws {
        let box = MailBox()
        defer { try? FileManager.default.removeItem(atPath: box.path) }
        try await body(box)
    }

    /// All mails, the oldest first.
    var mails: [String] {
        get throws {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
            return try names.map { try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8) }
        }
    }

    /// The mails with this subject, the oldest first.
    func mails(_ subject: String) throws -> [String] {
        try mails.filter { $0.contains("Subject: \(subject)\r\n") }
    }

    /// The token in the newest mail with this subject.
    func token(_ subject: String) throws -> Secret {
        let mail = try #require(try mails(subject).last)
        let start = try #require(mail.firstRange(of: "#token=")).upperBound
        return Secret(String(mail[start...].prefix { !$0.isWhitespace }))
    }

    static let reset = "Set a new password"
    static let verification = "Confirm your email address"
    static let notice = "Your password was changed"
}
