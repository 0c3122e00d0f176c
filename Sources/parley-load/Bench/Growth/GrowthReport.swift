import Foundation

/// All curves that were measured, and under which conditions.
struct GrowthReport: Sendable, Encodable {
    let conditions: Conditions
    var curves: [Curve] = []
    /// Dimensions that could not be measured, and why.
    var failures: [String: String] = [:]

    var table: String {
        let missing = failures.sorted { $0.key < $1.key }.map { "NOT measured: \($0.key): \($0.value)" }
        return ([conditions.description] + curves.map(\.table) + missing).joined(separator: "\n\n")
    }
}
