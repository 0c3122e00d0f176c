/// Where the components of a path lie.
///
/// A path is what it says, byte by byte: one with an empty component is no other path without it. So what a proxy in front
/// closes by its exact name has no second name.
struct PathComponents {
    private let path: [UInt8]
    private var ranges: [Range<Int>] = []

    /// nil for a path that is no route's: one that does not begin with a slash, has an empty component, or more components
    /// than any route.
    init?(_ path: String, atMost limit: Int) {
        self.path = Array(path.utf8)
        guard self.path.first == Self.slash else { return nil }
        // The root itself has no component.
        guard self.path.count > 1 else { return }
        ranges.reserveCapacity(limit)
        var start = 1
        while start <= self.path.count {
            let end = self.path[start...].firstIndex(of: Self.slash) ?? self.path.count
            guard start < end, ranges.count < limit else { return nil }
            ranges.append(start..<end)
            start = end + 1
        }
    }

    private static let slash = UInt8(ascii: "/")

    var count: Int { ranges.count }

    func isEqual(at index: Int, to bytes: [UInt8]) -> Bool {
        let range = ranges[index]
        return range.count == bytes.count && path[range].elementsEqual(bytes)
    }

    /// A component without its percent-encoding (RFC 3986 §2.1), once; nil where that is broken, or hides what is no text.
    func decoded(at index: Int) -> String? {
        PercentDecoding.text(path[ranges[index]])
    }
}
