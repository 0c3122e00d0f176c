import Foundation

/// A file of the web client, by its path in the folder `Client`, such as `views/shell.js`.
struct ClientFile: Sendable {
    let path: String
    let bytes: Data

    /// The value of `Content-Type`, by the path's ending.
    var type: String {
        switch path.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }
}

extension ClientFile {
    /// The files that the program carries.
    static var embedded: [ClientFile] {
        EmbeddedFiles.all.sorted { $0.key < $1.key }.map { ClientFile(path: $0.key, bytes: $0.value) }
    }

    /// The files of a folder, without those that are hidden.
    ///
    /// - Throws: Foundation's error where the folder cannot be read.
    static func inFolder(_ folder: String) throws -> [ClientFile] {
        let root = URL(fileURLWithPath: folder, isDirectory: true)
        return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().compactMap { path in
            let file = root.appending(path: path)
            let isFile = try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            guard isFile, !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { return nil }
            return ClientFile(path: path, bytes: try Data(contentsOf: file))
        }
    }
}
