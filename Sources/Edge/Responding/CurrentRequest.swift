package import Logging

/// The request that a task works for, so that all that is logged meanwhile says so, until the last byte of its answer.
package enum CurrentRequest {
    @TaskLocal static var id: String?

    /// Adds the request's id to log lines.
    package static let metadata = Logger.MetadataProvider { id.map { ["requestID": "\($0)"] } ?? [:] }
}
