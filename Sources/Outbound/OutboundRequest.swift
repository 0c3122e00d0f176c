package import Foundation
package import NIOHTTP1

/// What is asked of somebody else's server.
package struct OutboundRequest: Sendable {
    package var method: HTTPMethod
    /// `https`, or `http` where the rules let it; its fragment is not sent.
    package var url: URL
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        method: HTTPMethod,
        url: URL,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// URLs and headers hold secrets: they reach no log.
extension OutboundRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { "OutboundRequest(\(method.rawValue), redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
