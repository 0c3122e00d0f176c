import Edge
import Foundation
package import Logging
import Postgres

/// What a log may say of an error: never more than its kind, unless its words are known to hold no one's data.
package enum ErrorMetadata {
    package static func describing(_ error: any Error) -> Logger.Metadata {
        let kind = Logger.Metadata.Value.string(String(reflecting: type(of: error)))
        switch error {
        case let error as PostgresError: return ["error": kind, "reason": .string(error.description)]
        case let error as PostgresConnectionError: return ["error": kind, "reason": .string(error.description)]
        case let error as POSIXError: return ["error": kind, "reason": .string("\(error.code)")]
        case let error as HTTPProblem: return ["error": kind, "reason": .string(error.detail)]
        default: return ["error": kind]
        }
    }
}
