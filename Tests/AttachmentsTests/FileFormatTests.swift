import Foundation
import Messaging
import Testing

@testable import Attachments

@Suite struct `What a file is` {
    @Test(arguments: [
        ("image/jpeg", "<html>", nil), ("text/html", "<html>", "application/octet-stream"),
        ("image/svg+xml", "<svg/>", "application/octet-stream"), ("text/plain", "Hi", "text/plain"),
        ("text/html", "%PDF-1.7", "application/pdf"), ("Text/CSV; charset=utf-8", "a,b", "text/csv"),
        ("application/vnd.oasis.opendocument.text", "PK\u{3}\u{4}", "application/vnd.oasis.opendocument.text"),
        ("text/html", "PK\u{3}\u{4}", "application/zip"), ("nonsense", "Hi", "application/octet-stream"),
    ]) func `say its bytes, and its sender only where they say nothing`(said: String, text: String, type: String?) {
        let bytes = Data(text.utf8)
        if let type { #expect(FileFormat.type(of: bytes, as: .file, said: said) == type) }
        #expect(FileFormat.type(of: bytes, as: .image, said: said) == nil)
        #expect(FileFormat.type(of: bytes, as: .audio, said: said) == nil)
    }

    @Test(arguments: [
        ("OggS", "audio/ogg"), ("ID3", "audio/mpeg"), ("RIFF....WAVE", "audio/wav"), ("fLaC", "audio/flac"),
        ("....ftypM4A ", "audio/mp4"), ("....ftypisom", "audio/mp4"), ("#!AMR", "audio/amr"),
    ]) func `sounds, in a container of sounds`(text: String, type: String) {
        #expect(FileFormat.type(of: Data(text.utf8), as: .audio, said: nil) == type)
    }

    @Test(arguments: ["....ftypheic", "....ftypavif", "GIF89a", "BM", "II*."])
    func `is no image that is taken`(text: String) {
        #expect(FileFormat.type(of: Data(text.utf8), as: .image, said: "image/jpeg") == nil)
    }
}
