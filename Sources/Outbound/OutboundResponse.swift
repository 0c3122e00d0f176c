package import NIOHTTP1

/// What somebody else's server has answered: whatever it likes, and no more than was asked for.
package struct OutboundResponse: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    package let body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension OutboundResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "OutboundResponse(\(status), redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
