import Foundation
import ParleyWire

/// One request to the API, without the caller's token.
struct APIRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    var method: Method
    /// The path and the query, already encoded.
    var target: String
    var body: Data?
    var contentType = "application/json"
    var waitFor: String?
    var idempotencyKey: WireID?

    static func get(_ target: String, waitFor: String? = nil) -> APIRequest {
        APIRequest(method: .get, target: target, waitFor: waitFor)
    }

    static func delete(_ target: String) -> APIRequest {
        APIRequest(method: .delete, target: target)
    }

    static func put(_ target: String) -> APIRequest {
        APIRequest(method: .put, target: target)
    }

    static func put(_ target: String, _ body: some Encodable) throws -> APIRequest {
        APIRequest(method: .put, target: target, body: try WireJSON.encoder().encode(body))
    }

    static func put(_ target: String, _ bytes: Data, type: String) -> APIRequest {
        APIRequest(method: .put, target: target, body: bytes, contentType: type)
    }

    static func patch(_ target: String, _ body: some Encodable) throws -> APIRequest {
        APIRequest(method: .patch, target: target, body: try WireJSON.encoder().encode(body))
    }

    static func post(_ target: String, _ body: some Encodable) throws -> APIRequest {
        APIRequest(method: .post, target: target, body: try WireJSON.encoder().encode(body))
    }

    static func post(_ target: String, idempotencyKey: WireID? = nil) -> APIRequest {
        APIRequest(method: .post, target: target, idempotencyKey: idempotencyKey)
    }
}
