import Foundation
import ParleyWire

/// The file as it is written.
struct PeerJSON: Decodable {
    let name: String
    let url: String
    let senders: Int?
    let setup: [Step]?
    let request: Step

    struct Step: Decodable {
        let method: String
        let path: String
        let headers: [String: String]?
        /// A text as it is, or any other JSON.
        let body: JSONValue?
        let success: [Int]?
        let variables: [String: String]?
    }
}

extension PeerJSON.Step {
    private static let nameCharacters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")

    /// - Parameter place: where in the file the step stands.
    func step(_ place: String) throws -> PeerFile.Step {
        guard ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method) else {
            throw PeerFile.Problem(description: "\(place).method: GET, POST, PUT, PATCH or DELETE")
        }
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PeerFile.Problem(description: "\(place).path: begins with / and is encoded as in a URL")
        }
        var headers = headers ?? [:]
        for (name, value) in headers {
            guard !name.isEmpty, name.allSatisfy(Self.nameCharacters.contains) else {
                throw PeerFile.Problem(description: "\(place).headers: '\(name)' is no header's name")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw PeerFile.Problem(description: "\(place).headers.\(name): has a line break or control character")
            }
        }
        let text = try body.map { try self.text(of: $0) }
        if text != nil, !headers.keys.contains(where: { $0.lowercased() == "content-type" }) {
            headers["Content-Type"] = "application/json"
        }
        let success = success ?? [200, 201]
        guard !success.isEmpty, success.allSatisfy({ (100...599).contains($0) }) else {
            throw PeerFile.Problem(description: "\(place).success: statuses such as [200, 201]")
        }
        return PeerFile.Step(
            method: method,
            path: path,
            headers: headers,
            body: text,
            success: success,
            variables: variables ?? [:]
        )
    }

    private func text(of body: JSONValue) throws -> String {
        if case .string(let text) = body { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }
}

extension DecodingError {
    /// Where in a file it went wrong, and how.
    var place: String {
        func path(_ context: Context) -> String {
            let path = context.codingPath.reduce(into: "") { path, key in
                path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
            }
            return path.isEmpty ? "the file" : path
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(path(context)): '\(key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(path(context)): of the wrong type"
        case .dataCorrupted(let context): return "\(path(context)): not JSON"
        @unknown default: return "not readable"
        }
    }
}
