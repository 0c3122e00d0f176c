import Crypto
import Foundation
import Messaging

/// What is sealed of a file under its owner's key: the key of its bytes, and all that is told of it.
struct FileDetails: Codable, Sendable {
    let key: Data
    var name: String?
    var contentType: String
    var width: Int?
    var height: Int?
    var blurhash: String?
    var durationMs: Int?
    var waveform: [Int]?
    /// Of the small picture, where there is one.
    var thumbnailType: String?

    init(name: String?, contentType: String, durationMs: Int?, waveform: [Int]?) {
        key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        self.name = name
        self.contentType = contentType
        self.durationMs = durationMs
        self.waveform = waveform
    }

    var cipherKey: SymmetricKey { SymmetricKey(data: key) }
}
