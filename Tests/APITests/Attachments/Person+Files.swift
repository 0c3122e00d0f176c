import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import Testing

extension TestServer {
    /// Sends bytes as they are.
    func bring(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        _ bytes: [UInt8] = []
    ) async throws -> Answer {
        let response = try await client.executeRequest(
            uri: path,
            method: method,
            headers: headers,
            body: ByteBuffer(bytes: bytes)
        )
        return Answer(
            status: response.status,
            headers: response.headers,
            body: Data(response.body.readableBytesView)
        )
    }
}

extension Person {
    func bring(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        _ bytes: [UInt8] = []
    ) async throws -> Answer {
        var headers = headers
        headers[.authorization] = "Bearer \(session.accessToken)"
        return try await server.bring(method, path, headers: headers, bytes)
    }

    /// Uploads a file and gives what is told of it.
    func upload(
        _ bytes: [UInt8],
        _ query: String = "kind=file&name=notes.txt",
        type: String = "text/plain",
        id: WireID = WireID()
    ) async throws -> ParleyWire.Attachment {
        try await bring(.put, "/v1/attachments/\(id)?\(query)", headers: [.contentType: type], bytes)
            .decode(ParleyWire.Attachment.self, status: .created)
    }

    /// Sends a message with files.
    func send(
        _ files: [ParleyWire.Attachment],
        _ text: String = "",
        in conversation: WireID,
        id: WireID = WireID()
    ) async throws -> Answer {
        let body: JSONValue = .object([
            "text": .string(text), "attachmentIds": .array(files.map { .string("\($0.id)") }),
        ])
        return try await send(.put, "/v1/conversations/\(conversation)/messages/\(id)", body: body)
    }
}

/// Pictures of the tests of the helper.
enum SampleImage {
    static func bytes(_ name: String, file: StaticString = #filePath) throws -> [UInt8] {
        let tests = URL(fileURLWithPath: "\(file)").deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: tests.appendingPathComponent("AttachmentsTests/Images/\(name)")))
    }
}
