import CZlib
import Foundation
package import NIOCore
import Testing

/// What zlib reads of a gzip file with these bytes; fails where it finds any fault in them, or more than one file.
package func gunzip(_ bytes: ByteBuffer) throws -> [UInt8] {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try Data(bytes.readableBytesView).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try #require(gzopen(path, "rb"))
    defer { gzclose_r(file) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1_024)
    while true {
        let count = gzread(file, &piece, UInt32(piece.count))
        try #require(count >= 0, "the bytes are no gzip")
        if count == 0 { break }
        content += piece.prefix(Int(count))
    }
    var error: Int32 = 0
    _ = gzerror(file, &error)
    #expect(error == Z_OK)
    // zlib reads what is no gzip as it is.
    #expect(gzdirect(file) == 0)
    return content
}
