import Foundation

/// Runs a test with a directory as an administrator makes one: there, empty, and closed to others.
func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = "/tmp/parley-process-\(UUID().uuidString.lowercased())"
    mkdir(directory, 0o700)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
}
