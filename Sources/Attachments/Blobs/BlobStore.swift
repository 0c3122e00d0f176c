package import Foundation
import ParleyWire

/// Where bytes are kept.
package enum BlobPlace: String, Sendable, CaseIterable {
    case disk, s3
}

/// The name of what is kept: an id that no client made, and which of a file's pictures it is.
package struct BlobName: Sendable, Hashable, CustomStringConvertible {
    package let id: UUID
    let size: AttachmentLinks.Size

    init(_ id: UUID, _ size: AttachmentLinks.Size) {
        self.id = id
        self.size = size
    }

    /// As a path below a directory or in a bucket: by the last letters of the id, which are random.
    package var path: String {
        let id = id.uuidString.lowercased()
        let tail = Array(id.suffix(4))
        return "\(String(tail[0..<2]))/\(String(tail[2..<4]))/\(id).\(size.rawValue)"
    }

    /// The directories of its path.
    var shard: String { String(path.prefix(5)) }

    package var description: String { path }

    /// Nil for what is none of these paths.
    package init?(path: String) {
        self.init(file: path.split(separator: "/").last ?? "")
        guard self.path == path else { return nil }
    }

    private init?(file: Substring) {
        let parts = file.split(separator: ".")
        guard parts.count == 2, let id = UUID(uuidString: String(parts[0])),
            let size = AttachmentLinks.Size(rawValue: String(parts[1]))
        else { return nil }
        self.init(id, size)
    }

    /// Whether something is called as a blob is and lies where none would be looked for: in the directories of another one, or in
    /// too few. What lies deeper may be another program's, which shares a bucket.
    static func isMisplaced(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 3, let file = parts.last, BlobName(file: file) != nil,
            parts.dropLast().allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) })
        else { return false }
        return BlobName(path: path) == nil
    }
}

/// Keeps sealed bytes under names: each is written once, whole, and then read in parts until it is removed.
protocol BlobStore: Sendable {
    var place: BlobPlace { get }

    /// How many chunks are read at once.
    var chunksAtOnce: Int { get }

    /// Takes a file of this machine, or the pictures of one, which go from where they are and need not be synced; returns when
    /// all are as safe as they will be. Where it throws, some may be kept.
    func put(_ files: [AttachmentLinks.Size: DiskFile], as id: UUID) async throws

    /// - Throws: ``BlobMissing``.
    func read(_ name: BlobName, _ range: Range<Int>) async throws -> Data

    /// How many bytes it has; nil where there is none.
    func size(of name: BlobName) async throws -> Int?

    /// Removes it, where it is there.
    func remove(_ name: BlobName) async throws

    /// The paths of all there is, whatever it is, in an order of its own, page by page.
    func list(after path: String?) async throws -> [String]

    /// Whether it can be written to, for those who ask how the server is; nil where it can, else why not.
    func trouble() async -> String?
}

struct BlobMissing: Error {}
