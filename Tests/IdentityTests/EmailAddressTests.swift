import Testing

@testable import Identity

struct `Email addresses` {
    @Test(arguments: [
        ("ada@example.org", "ada@example.org"),
        ("  Ada.Lovelace@Example.ORG\n", "ada.lovelace@example.org"),
        ("ADA+tag@mail.example.co.uk", "ada+tag@mail.example.co.uk"),
        ("o'neill@xn--bcher-kva.example", "o'neill@xn--bcher-kva.example"),
        ("J\u{00DC}RGEN@example.org", "j\u{00FC}rgen@example.org"),
        ("Ju\u{0308}rgen@bu\u{0308}cher.example", "j\u{00FC}rgen@xn--bcher-kva.example"),
        ("ada@B\u{00DC}CHER.example", "ada@xn--bcher-kva.example"), ("ada@fa\u{00DF}.de", "ada@xn--fa-hia.de"),
        ("ada@mail.example\u{3002}org", "ada@mail.example.org"), ("ada@\u{FF45}xample.org", "ada@example.org"),
    ])
    func `are trimmed, composed and in lower case, and their domains in ASCII`(raw: String, normal: String) throws {
        #expect(try Array(EmailAddress(raw).text.unicodeScalars) == Array(normal.unicodeScalars))
    }

    @Test(arguments: [
        "", " ", "@", "ada", "ada@", "@example.org", "ada@localhost", "a@b@example.org", "ada@@example.org",
        ".ada@example.org", "ada.@example.org", "a..b@example.org", "ada@.org", "ada@example.", "ada@-a.org",
        "ada@a-.org", "ada lovelace@example.org", "ada@exam ple.org", "\"ada\"@example.org", "ada@[127.0.0.1]",
        "<ada@example.org>", "ada@example.org,bob@example.org", "ada\0@example.org", "ada@example.org\0",
        "ada\r\nbcc:bob@example.org", "ada\u{200B}@example.org", "ada\u{202E}@example.org", "ada@exam_ple.org",
        "ada\u{00A0}a@example.org",
    ])
    func `of no deliverable form are refused`(raw: String) {
        #expect(throws: InvalidField.self) { try EmailAddress(raw) }
    }

    @Test func `have at most 254 bytes, 64 of them before the at, 63 in a label`() throws {
        let label = String(repeating: "a", count: 61)
        let domain = [label, label, label].joined(separator: ".")
        let longest = String(repeating: "l", count: 64) + "@" + domain + ".ab"
        #expect(try EmailAddress(longest + "c").text.utf8.count == 254)
        #expect(refusal(of: longest + "cd")?.code == .tooLong)
        #expect(refusal(of: String(repeating: "l", count: 65) + "@example.org")?.code == .invalid)
        #expect(refusal(of: "ada@" + String(repeating: "a", count: 64) + ".org")?.code == .invalid)
        #expect(refusal(of: String(repeating: "a@", count: 1_000_000))?.code == .tooLong)
    }

    @Test func `never print`() throws {
        let email = try EmailAddress("planted@example.org")
        #expect(!printed(email).contains("planted"))
        #expect(!"\(try #require(refusal(of: "planted@@example.org")))".contains("planted"))
    }

    private func refusal(of raw: String) -> InvalidField? {
        do {
            _ = try EmailAddress(raw)
            return nil
        } catch {
            return error
        }
    }
}

/// Everything that a value says of itself when it is printed, logged or dumped.
func printed(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value)\n\(String(reflecting: value))\n\(dumped)"
}
