/// A JSON value as it came in.
enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    /// A string with an escaped surrogate that has no partner (`\ud800`): JSON allows it, Unicode text cannot hold it.
    case unpairedSurrogate
    case array([JSON])
    /// The last one wins where a name is there twice.
    case object([String: JSON])
}

struct JSONNumber: Sendable, Equatable {
    /// Infinite where the number exceeds what a double holds.
    let double: Double
    /// The exact value, where the number is whole and fits.
    let integer: Int64?
}

/// Why bytes are not JSON that this server reads; never quotes the bytes.
enum JSONError: Error, Equatable {
    case notUTF8(offset: Int)
    case syntax(offset: Int)
    case tooDeep(limit: Int)
    case tooManyValues(limit: Int)

    var description: String {
        switch self {
        case .notUTF8(let offset): "The body is not UTF-8 at byte \(offset)."
        case .syntax(let offset): "The body is not JSON at byte \(offset)."
        case .tooDeep(let limit): "The body is nested more than \(limit) levels deep."
        case .tooManyValues(let limit): "The body holds more than \(limit) values."
        }
    }
}
