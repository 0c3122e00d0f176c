package import Foundation

/// Somebody, or a program, that runs the server by its API.
package struct Operator: Sendable, Hashable {
    package let id: UUID
    package let name: String
    package let scope: OperatorScope
    package let createdAt: Date
    package let revokedAt: Date?
}
