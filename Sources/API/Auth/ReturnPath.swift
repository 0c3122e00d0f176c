import Edge
import ParleyWire

/// Where a browser goes once its person has signed in: a path of this server, and nothing that a browser could read as the
/// address of another.
enum ReturnPath {
    private static let longest = 512

    /// The path of the parameter `returnTo`, or the root.
    static func read(_ query: Query) throws(HTTPProblem) -> String {
        guard let path = try query.text("returnTo", atMost: longest) else { return "/" }
        guard isOwn(path) else {
            throw .invalid(parameter: "returnTo", .notAllowed, "A path of this server is expected, such as /people.")
        }
        return path
    }

    /// Browsers take `\` for `/`, and leave out tabs and line breaks.
    static func isOwn(_ path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/") && !path.utf8.contains(UInt8(ascii: "\\"))
            && path.utf8.allSatisfy { (0x21...0x7e).contains($0) } && !hasDoubleSlash(path)
    }

    private static func hasDoubleSlash(_ path: String) -> Bool {
        zip(path.utf8, path.utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }
}
