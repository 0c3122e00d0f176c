import Foundation
import ParleyWire

/// What the server finally said to a request.
struct APIAnswer: Sendable {
    let status: Int
    let body: Data
    /// `Parley-Position`, where the request was a command.
    let position: String?
    /// Seconds of `Retry-After`.
    let retryAfter: Int?
    /// How often it was sent: more than once, and the first try may have had its effect.
    var attempts = 1

    var isSuccess: Bool { (200..<300).contains(status) }

    var problem: Problem? { isSuccess ? nil : try? WireJSON.decoder().decode(Problem.self, from: body) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try WireJSON.decoder().decode(type, from: body)
    }

    /// The status and the problem's code, for people.
    var summary: String {
        guard let code = problem?.code else { return "\(status)" }
        return "\(status) \(code)"
    }
}
