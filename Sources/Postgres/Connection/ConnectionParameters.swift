import CLibPQ
import Foundation

/// libpq's keywords and values for a connection: the URL's, completed by ours.
struct ConnectionParameters {
    var values: [String: String]

    /// Nil if libpq cannot read the URL.
    ///
    /// What libpq says about it is not passed on: it can quote the password.
    init?(_ configuration: PostgresConfiguration) {
        var complaint: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(configuration.url, &complaint)
        PQfreemem(complaint)
        guard let options else { return nil }
        defer { PQconninfoFree(options) }
        values = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        guard !isMisread else { return nil }
        complete(with: configuration)
    }

    /// Whether an unescaped `@`, `/` or `:` in a URI's password has put a part of it into another field, which libpq and
    /// we would then show.
    private var isMisread: Bool {
        let isPortOdd = values["port"]?.utf8.contains { !(48...57).contains($0) && $0 != UInt8(ascii: ",") } ?? false
        // A host that begins with @ is an abstract socket.
        let hasStrayAt = [values["host"]?.dropFirst(), values["dbname"]?[...]].contains { $0?.contains("@") ?? false }
        return isPortOdd || hasStrayAt
    }

    subscript(keyword: String) -> String? {
        values[keyword]
    }

    private mutating func complete(with configuration: PostgresConfiguration) {
        let defaults = [
            "application_name": configuration.applicationName,
            "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "15000",
        ]
        values.merge(defaults) { given, _ in given }
        values["client_encoding"] = "UTF8"
        var settings = configuration.settings
        settings["role"] = configuration.role
        let options = settings.sorted { $0.key < $1.key }.map { "-c \(Self.escape("\($0.key)=\($0.value)"))" }
        let all = [values["options"]].compactMap(\.self).filter { !$0.isEmpty } + options
        if !all.isEmpty { values["options"] = all.joined(separator: " ") }
    }

    /// In `options`, a backslash keeps a space (or backslash) from ending the argument.
    private static func escape(_ argument: String) -> String {
        argument.reduce(into: "") { result, character in
            if character == "\\" || character.isWhitespace { result.append("\\") }
            result.append(character)
        }
    }

    /// The URL's `connect_timeout`, in seconds.
    var connectTimeout: Duration? {
        values["connect_timeout"].flatMap { Int32($0) }.flatMap { $0 > 0 ? .seconds(Int64($0)) : nil }
    }

    /// The parameters as lines of a service file, which has no quotes; nil where one spans lines.
    var serviceLines: String? {
        guard !values.values.contains(where: { $0.contains(where: \.isNewline) }) else { return nil }
        return values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }.joined()
    }

    /// Calls `body` with libpq's two parallel, NULL-terminated arrays.
    func withCArrays<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let pairs = values.sorted { $0.key < $1.key }
        let keywords = pairs.map { strdup($0.key) }
        let values = pairs.map { strdup($0.value) }
        defer { (keywords + values).forEach { free($0) } }
        let cKeywords = keywords.map { UnsafePointer($0) } + [nil]
        let cValues = values.map { UnsafePointer($0) } + [nil]
        return cKeywords.withUnsafeBufferPointer { cKeywords in
            cValues.withUnsafeBufferPointer { cValues in
                guard let first = cKeywords.baseAddress, let second = cValues.baseAddress else {
                    preconditionFailure("both arrays end with NULL, so neither is empty")
                }
                return body(first, second)
            }
        }
    }
}
