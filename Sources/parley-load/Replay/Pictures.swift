import ArgumentParser
import Foundation

/// Real pictures, to be sent by those who write.
struct Pictures: Sendable {
    struct Picture: Sendable {
        let bytes: Data
        let type: String
    }

    private static let types = ["jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp"]

    static let empty = Pictures(all: [])

    /// In the order of their names.
    let all: [Picture]

    private init(all: [Picture]) {
        self.all = all
    }

    /// Those of a directory, whose names say that they are JPEG, PNG or WebP.
    init(directory: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        all = try names.compactMap { name in
            let url = URL(fileURLWithPath: "\(directory)/\(name)")
            guard let type = Self.types[url.pathExtension.lowercased()] else { return nil }
            return Picture(bytes: try Data(contentsOf: url), type: type)
        }
        guard !all.isEmpty else { throw ValidationError("\(directory) has no .jpg, .png or .webp") }
    }
}
