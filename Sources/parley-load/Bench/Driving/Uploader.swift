import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// Uploads files whole, as clients do that lose no connection.
struct Uploader: Sendable {
    /// An upload is answered when the file is safe: that may take long where many come at once.
    private static let patience = TimeAmount.seconds(600)

    private let http: HTTPClient
    private let url: String

    /// Lends one, with as many connections as are used at once.
    static func with<Value>(
        _ connections: Int,
        to server: MeasuredServer,
        _ body: (Uploader) async throws -> Value
    ) async throws -> Value {
        var configuration = APIClient.configuration(connections: connections)
        configuration.timeout.read = patience
        let http = HTTPClient(configuration: configuration)
        return try await withEnding {
            try await body(Uploader(http: http, url: server.url))
        } ending: {
            try? await http.shutdown()
        }
    }

    private init(http: HTTPClient, url: String) {
        self.http = http
        self.url = url
    }

    /// - Throws: `APIFailure` where the file is not taken as a new one.
    @discardableResult
    func put(_ bytes: ByteBuffer, kind: String, type: String, token: String) async throws -> WireID {
        let id = FreshIDs.make()
        var request = HTTPClientRequest(url: "\(url)/v1/attachments/\(id)?kind=\(kind)")
        request.method = .PUT
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Content-Type", value: type)
        request.body = .bytes(bytes)
        let answer = try await http.execute(request, timeout: Self.patience)
        _ = try await answer.body.collect(upTo: 1 << 20)
        guard answer.status == .created else {
            throw APIFailure.unexpected(request: "upload", answer: "\(answer.status.code)")
        }
        return id
    }

    func delete(_ id: WireID, token: String) async throws {
        var request = HTTPClientRequest(url: "\(url)/v1/attachments/\(id)")
        request.method = .DELETE
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        _ = try await http.execute(request, timeout: Self.patience)
    }
}
