import Crypto
import Foundation

/// Signs requests as AWS Signature Version 4 has it.
struct S3Signature {
    let bucket: S3Bucket

    /// SHA-256 of nothing.
    static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// The fields that make a request good.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, from the first slash on.
    ///   - query: names and values, percent-encoded, sorted by name.
    ///   - hash: SHA-256 of the body, in hexadecimal.
    func fields(
        _ method: String,
        host: String,
        path: String,
        query: [(String, String)] = [],
        more: [(String, String)] = [],
        hash: String,
        at now: Date
    ) -> [(String, String)] {
        let stamp = Self.stamp(now)
        let day = String(stamp.prefix(8))
        let signed = ([("host", host), ("x-amz-content-sha256", hash), ("x-amz-date", stamp)] + more)
            .sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let request = [
            method, path, query.map { "\($0.0)=\($0.1)" }.joined(separator: "&"),
            signed.map { "\($0.0):\($0.1)\n" }.joined(), names, hash,
        ].joined(separator: "\n")
        let scope = "\(day)/\(bucket.region)/s3/aws4_request"
        let text = ["AWS4-HMAC-SHA256", stamp, scope, Self.hex(SHA256.hash(data: Data(request.utf8)))]
            .joined(separator: "\n")
        var key = Data("AWS4\(bucket.secretKey)".utf8)
        for part in [day, bucket.region, "s3", "aws4_request", text] {
            key = Data(HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: SymmetricKey(data: key)))
        }
        let credential = "Credential=\(bucket.accessKey)/\(scope)"
        let authorization = "AWS4-HMAC-SHA256 \(credential), SignedHeaders=\(names), Signature=\(Self.hex(key))"
        return signed.filter { $0.0 != "host" } + [("authorization", authorization)]
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }

    /// Percent-encodes all but what RFC 3986 calls unreserved.
    static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".utf8.contains(byte))
            if isPlain || keepingSlashes && byte == UInt8(ascii: "/") { return String(character) }
            return "%" + hex([byte]).uppercased()
        }.joined()
    }

    private static func stamp(_ date: Date) -> String {
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1_900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }
}
