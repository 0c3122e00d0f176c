import Foundation
import Testing

@testable import Mail

struct `A mail` {
    private static let ada = "ada@example.org"

    private func mail(
        subject: String = "Hello",
        text: String = "Hi\n",
        from: String = "Parley <no-reply@chat.example.org>"
    ) throws -> MailMessage {
        MailMessage(
            id: try #require(UUID(uuidString: "0195F3AB-C0DE-7ABC-8DEF-000000000001")),
            date: Date(timeIntervalSince1970: 1_800_000_000),
            from: try #require(MailAddress(from)),
            to: try #require(MailAddress(address: Self.ada)),
            subject: subject,
            text: text
        )
    }

    private func source(of mail: MailMessage) -> String { String(decoding: mail.rendered(), as: UTF8.self) }

    @Test func `has the headers that mail servers expect, and lines that end as they must`() throws {
        let source = source(of: try mail())
        let expected = """
            Date: Fri, 15 Jan 2027 08:00:00 +0000
            From: "Parley" <no-reply@chat.example.org>
            To: <ada@example.org>
            Subject: Hello
            Message-ID: <0195f3ab-c0de-7abc-8def-000000000001@chat.example.org>
            Auto-Submitted: auto-generated
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 7bit

            Hi

            """
        #expect(source == expected.replacing("\n", with: "\r\n"))
    }

    @Test(arguments: [
        "Grüße aus München", "日本語の件名はとても長いので、いくつかの単語に分けられなければなりません。",
        "=?UTF-8?B?SGk=?=", String(repeating: "a long subject ", count: 20), "🐌🐌🐌",
    ])
    func `encodes a subject that is not short and plain, in words of 75 characters`(subject: String) throws {
        let source = source(of: try mail(subject: subject))
        let start = try #require(source.firstRange(of: "Subject: ")).upperBound
        let value = source[start...].prefix(upTo: try #require(source.firstRange(of: "\r\nMessage-ID")).lowerBound)
        var decoded = Data()
        for word in value.split(separator: "\r\n ") {
            #expect(word.utf8.count <= 75)
            #expect(word.hasPrefix("=?UTF-8?B?") && word.hasSuffix("?="))
            let bytes = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
            // No character is split between two words.
            #expect(String(validating: bytes, as: UTF8.self) != nil)
            decoded += bytes
        }
        #expect(String(decoding: decoded, as: UTF8.self) == subject)
    }

    @Test(arguments: ["Hi\r\nBcc: eve@example.org", "Hi\nBcc: eve@example.org", "Hi\r\n\r\nText", "Hi\0\u{2028}x"])
    func `lets no subject begin another header`(subject: String) throws {
        let lines = source(of: try mail(subject: subject)).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.filter { $0.hasPrefix("Bcc") }.isEmpty)
        #expect(lines.count { $0.isEmpty } == 2)
        #expect(lines.firstIndex(of: "") == 9)
    }

    @Test(arguments: [
        "ada@example.org\r\nBcc: eve@example.org", "ada@example.org>\r\nRCPT TO:<eve@example.org", "ada", "@", "a@",
        "@b",
        "a@b@c", "ada lovelace@example.org", "ada@example.org\0", "<ada@example.org>",
        "ada@example.org, eve@example.org",
        "\"a\"@example.org", "ada@example.org\u{202E}", String(repeating: "a", count: 250) + "@b.org", "",
    ])
    func `goes to no address that holds more than an address`(text: String) {
        #expect(MailAddress(address: text) == nil)
    }

    @Test func `names its sender, whatever the name is made of`() throws {
        let names = [
            ("Parley <a@b.org>", #""Parley" <a@b.org>"#), ("a@b.org", "<a@b.org>"),
            (#"Ada "Byron" <a@b.org>"#, #""Ada \"Byron\"" <a@b.org>"#),
            (#""Chat, Inc." <a@b.org>"#, #""Chat, Inc." <a@b.org>"#),
            ("Plauderei für alle <a@b.org>", "=?UTF-8?B?UGxhdWRlcmVpIGbDvHIgYWxsZQ==?= <a@b.org>"),
        ]
        for (text, expected) in names {
            #expect(MailHeader.mailbox(try #require(MailAddress(text))) == expected)
        }
        #expect(MailAddress("Ada\r\nBcc: eve@b.org <a@b.org>") == nil)
        #expect(MailAddress("a@b.org>") == nil)
    }

    @Test(arguments: [
        "Grüße\n", "a = b\nü \n", String(repeating: "ü", count: 500), String(repeating: "x", count: 999), "x\t\n",
        ". \n.\nü",
    ])
    func `with a text that is not plain is encoded in lines of 76 characters`(text: String) throws {
        let body = MailBody(text)
        guard body.encoding == "quoted-printable" else {
            #expect(text == "x\t\n")
            return
        }
        let lines = String(decoding: body.bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.hasSuffix(" ") && !$0.hasSuffix("\t") })
        #expect(try decodeQuotedPrintable(lines) == (text.hasSuffix("\n") ? text : text + "\n"))
    }

    private func decodeQuotedPrintable(_ lines: [String]) throws -> String {
        var bytes: [UInt8] = []
        for line in lines.dropLast() {
            var rest = line.hasSuffix("=") ? line.dropLast() : line[...]
            while let first = rest.utf8.first {
                if first == UInt8(ascii: "=") {
                    bytes.append(try #require(UInt8(rest.dropFirst().prefix(2), radix: 16)))
                    rest = rest.dropFirst(3)
                } else {
                    bytes.append(first)
                    rest = rest.dropFirst()
                }
            }
            if !line.hasSuffix("=") { bytes.append(0x0a) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `is printed by nothing`() throws {
        let mail = try mail(text: "the token")
        var dumped = ""
        dump(mail, to: &dumped)
        for text in ["\(mail)", String(reflecting: mail), dumped, "\(mail.to)", "\([mail])"] {
            #expect(!text.contains("token") && !text.contains(Self.ada))
        }
    }

    @Test func `is written as a file that only its owner may read, and the oldest ones go`() async throws {
        let path = "/tmp/parley-mails-\(UUID().uuidString.lowercased())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let mailer = Mailer(.directory(MailDirectory(path: "\(path)/mail", limit: 3)))
        for number in 0..<5 {
            let first = try mail()
            try await mailer.send(
                MailMessage(
                    id: UUID(),
                    date: first.date.addingTimeInterval(Double(number)),
                    from: first.from,
                    to: first.to,
                    subject: "\(number)",
                    text: "Hi\n"
                )
            )
        }
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: "\(path)/mail").sorted()
        #expect(names.count == 3)
        let texts = try names.map { try String(contentsOfFile: "\(path)/mail/\($0)", encoding: .utf8) }
        #expect(zip(texts, 2...4).allSatisfy { $0.contains("Subject: \($1)\r\n") })
        #expect(try files.attributesOfItem(atPath: "\(path)/mail")[.posixPermissions] as? Int == 0o700)
        #expect(try files.attributesOfItem(atPath: "\(path)/mail/\(names[0])")[.posixPermissions] as? Int == 0o600)
    }

    @Test func `that cannot be written says so without a word of its own`() async throws {
        let mailer = Mailer(.directory(MailDirectory(path: "/dev/null/mail")))
        let error = await #expect(throws: MailError.self) { try await mailer.send(try mail()) }
        #expect(error?.isPassing == true)
    }
}
