import NIOCore
import ParleyWire

/// A read that the server answers once its read models have come to a position.
struct ProjectionRequest: Sendable {
    let address: ServerAddress
    let token: String

    func bytes(position: String) -> ByteBuffer {
        ByteBuffer(
            string: "GET /v1/me HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\nAuthorization: Bearer \(token)\r\n"
                + "\(ParleyHeader.waitFor): \(position)\r\n\r\n"
        )
    }
}
