/// The part of a content that a client asks for by `Range` (RFC 9110 §14).
package enum ByteRange: Sendable, Equatable {
    case whole
    case part(Range<Int>)
    /// Nothing of the content lies in it.
    case unsatisfiable

    /// Reads the field. Several parts, units other than bytes and what is malformed are answered with the whole, as the
    /// RFC allows.
    ///
    /// - Parameters:
    ///   - length: of the content, in bytes.
    ///   - isCurrent: whether the content is the one that `If-Range` names, or nothing is named.
    package init(_ field: String?, of length: Int, isCurrent: Bool = true) {
        self = .whole
        guard isCurrent, let field, field.lowercased().hasPrefix("bytes=") else { return }
        let bounds = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return }
        switch (Self.number(bounds[0]), Self.number(bounds[1]), bounds[0].isEmpty, bounds[1].isEmpty) {
        case (nil, let suffix?, true, false):
            self = suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
        case (let first?, nil, false, true):
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (let first?, let last?, false, false):
            guard first <= last else { return }
            self = first < length ? .part(first..<min(length, last == .max ? .max : last + 1)) : .unsatisfiable
        default: return
        }
    }

    /// Digits alone; more of them than a number has mean the end.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }
}
