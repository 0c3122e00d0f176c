import Foundation
import NIOCore
import ParleyWire

/// Makes the bytes of sends into one conversation.
struct SendRequests: Sendable {
    let conversation: WireID
    let address: ServerAddress
    private let head: String
    private let body: String

    init(conversation: WireID, token: String, address: ServerAddress, textLength: Int) {
        self.conversation = conversation
        self.address = address
        let words = String(repeating: "Lorem ipsum dolor sit amet. ", count: textLength / 28 + 1).prefix(textLength)
        body = #"{"text":"\#(words)"}"#
        head =
            " HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    }

    func send(_ message: WireID) -> ByteBuffer {
        ByteBuffer(string: "PUT /v1/conversations/\(conversation)/messages/\(message)\(head)\(body)")
    }
}
