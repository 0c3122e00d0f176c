import Attachments
import Testing

@Suite struct `The name of a file` {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), (#"C:\Users\ada\photo.jpg"#, "photo.jpg"),
        ("a\u{0}b\r\nc.txt", "abc.txt"), ("exe\u{202E}gpj.scr", "exegpj.scr"), ("...", nil), ("/", nil), ("", nil),
        ("  .htaccess ", "htaccess"), (#"a"b<c>.txt"#, "a_b_c_.txt"), ("été.png", "été.png"),
    ]) func `keeps nothing that leads elsewhere or deceives`(given: String, kept: String?) {
        #expect(FileName.safe(given) == kept)
    }

    @Test func `is short, and keeps what tells the format`() throws {
        let name = try #require(FileName.safe(String(repeating: "ü", count: 300) + ".tar.gz"))
        #expect(name.utf8.count <= 255 && name.hasSuffix(".gz"))
    }

    @Test func `is told to browsers in two ways`() {
        #expect(FileName.disposition(isInline: true, nil) == "inline")
        #expect(
            FileName.disposition(isInline: false, "é \"x\".txt")
                == #"attachment; filename="_ _x_.txt"; filename*=UTF-8''%C3%A9%20%22x%22.txt"#
        )
    }
}
