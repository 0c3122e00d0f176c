import Crypto
import Foundation

/// One step of the schema: `0001_log.sql` and its text.
package struct MigrationFile: Sendable, Hashable {
    package let name: String
    package let text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// The number in front of the name; nil if the name is not `NNNN_name.sql`.
    var version: Int? {
        let parts = name.split(separator: "_", maxSplits: 1)
        guard parts.count == 2, name.hasSuffix(".sql"), parts[0].utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(parts[0])
    }

    var checksum: [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }
}
