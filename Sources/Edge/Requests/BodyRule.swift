import ParleyWire

/// What a route takes as the body of a request.
package struct BodyRule: Sendable, Hashable {
    /// Of a larger body no more is read than shows that it is.
    let maxBytes: Int
    /// Whether it is taken piece by piece, as its reader gets on, rather than collected: then it may take as long as its
    /// size takes at the least rate, and only what waits for the reader is held.
    let isStreamed: Bool

    private init(maxBytes: Int, isStreamed: Bool) {
        self.maxBytes = maxBytes
        self.isStreamed = isStreamed
    }

    /// Asked for by anybody, before it is known who it is.
    static let credentials = BodyRule(maxBytes: 16 * 1_024, isStreamed: false)
    static let fields = BodyRule(maxBytes: 1 << 20, isStreamed: false)

    package static func streamed(upTo maxBytes: Int) -> BodyRule {
        BodyRule(maxBytes: maxBytes, isStreamed: true)
    }

    var tooLarge: HTTPProblem {
        HTTPProblem(.payloadTooLarge, "A body may have at most \(maxBytes) bytes here.")
    }
}
