import Foundation
import Messaging

/// What a file is by its first bytes: never by its name, and never by what its sender says.
package struct FileFormat: Sendable, Equatable {
    /// So many bytes at the beginning say what a file is.
    static let sniffedBytes = 512

    let contentType: String

    private init(_ contentType: String) {
        self.contentType = contentType
    }

    /// As what a file of its kind is taken; nil where it is not.
    ///
    /// - Parameter said: what the sender says it is, which counts where the bytes say nothing.
    static func type(of bytes: Data, as kind: AttachedFile.Kind, said: String?) -> String? {
        let found = FileFormat(bytes)?.contentType
        switch kind {
        case .image: return found.flatMap { images.contains($0) ? $0 : nil }
        case .audio:
            guard let found else { return nil }
            // The same containers are called by another name where they have sound alone.
            let audioType =
                ["video/webm": "audio/webm", "video/mp4": "audio/mp4", "application/ogg": "audio/ogg"][found] ?? found
            return audioType.hasPrefix("audio/") ? audioType : nil
        case .file:
            // Documents of many kinds are archives inside.
            guard let found, found != "application/zip" else {
                let said = harmless(said)
                return found != nil && said == octets ? found : said
            }
            return found
        }
    }

    private static let octets = "application/octet-stream"
    private static let images: Set<String> = ["image/jpeg", "image/png", "image/webp"]

    /// What a browser would never run, whatever it is asked to.
    private static func harmless(_ said: String?) -> String {
        guard let said, said.utf8.count <= 100 else { return octets }
        let type = said.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        let isToken = { (part: Substring) in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    $0 < 0x80
                        && (Character(Unicode.Scalar($0)).isLetter || Character(Unicode.Scalar($0)).isNumber
                            || "!#$&-^_.+".utf8.contains($0))
                }
        }
        guard parts.count == 2, parts.allSatisfy(isToken) else { return octets }
        let isActive = ["html", "xml", "svg", "script", "shockwave", "multipart", "message/"].contains {
            type.contains($0)
        }
        let isMedia = ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
        return isActive || isMedia ? octets : type
    }

    private init?(_ bytes: Data) {
        let head = [UInt8](bytes.prefix(Self.sniffedBytes))
        func has(_ text: String, at place: Int = 0) -> Bool { head.dropFirst(place).starts(with: text.utf8) }
        func has(_ bytes: [UInt8], at place: Int = 0) -> Bool { head.dropFirst(place).starts(with: bytes) }
        if has([0xff, 0xd8, 0xff]) {
            self.init("image/jpeg")
        } else if has([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self.init("image/png")
        } else if has("RIFF"), has("WEBP", at: 8) {
            self.init("image/webp")
        } else if has("GIF87a") || has("GIF89a") {
            self.init("image/gif")
        } else if has("RIFF"), has("WAVE", at: 8) {
            self.init("audio/wav")
        } else if has("OggS") {
            self.init("application/ogg")
        } else if has([0x1a, 0x45, 0xdf, 0xa3]) {
            self.init("video/webm")
        } else if has("ftyp", at: 4) {
            let brand = String(decoding: head.dropFirst(8).prefix(4), as: UTF8.self)
            let still = ["heic", "heix", "mif1", "msf1", "hevc", "avif", "avis"]
            self.init(still.contains(brand) ? "image/heif" : brand.hasPrefix("M4A") ? "audio/mp4" : "video/mp4")
        } else if has("ID3") || has([0xff, 0xfb]) || has([0xff, 0xf3]) || has([0xff, 0xf2]) {
            self.init("audio/mpeg")
        } else if has([0xff, 0xf1]) || has([0xff, 0xf9]) {
            self.init("audio/aac")
        } else if has("fLaC") {
            self.init("audio/flac")
        } else if has("#!AMR") {
            self.init("audio/amr")
        } else if has("caff") {
            self.init("audio/x-caf")
        } else if has("%PDF-") {
            self.init("application/pdf")
        } else if has([0x50, 0x4b, 0x03, 0x04]) {
            self.init("application/zip")
        } else if has([0x1f, 0x8b]) {
            self.init("application/gzip")
        } else {
            return nil
        }
    }
}
