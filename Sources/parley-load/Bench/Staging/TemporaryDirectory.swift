import Foundation

/// A directory for what one measurement needs, until it is removed.
struct TemporaryDirectory: Sendable {
    let path: String

    /// - Parameter parent: where it is made; the system's place for such where nil.
    init(in parent: String? = nil) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory.path
        path = "\(parent)/parley-load-\(FreshIDs.make())"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            // PostgreSQL's own account has to pass through where this process is root.
            attributes: [.posixPermissions: 0o711]
        )
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
