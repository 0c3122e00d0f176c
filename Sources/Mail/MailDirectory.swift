import Foundation

/// A directory into which mails are written as files, for development.
package struct MailDirectory: Sendable {
    private let path: String
    private let limit: Int

    /// - Parameter limit: how many mails are kept; the oldest ones go.
    package init(path: String, limit: Int = 1_000) {
        self.path = path
        self.limit = limit
    }

    func write(_ message: MailMessage) throws(MailError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // Of the same length always, so that names are in the order of time.
            let milliseconds = String(Int64(max(0, message.date.timeIntervalSince1970 * 1_000)))
            let time = String(repeating: "0", count: max(0, 14 - milliseconds.count)) + milliseconds
            try create("\(time)-\(message.id.uuidString.lowercased()).eml", holding: message.rendered())
            try removeOldest()
        } catch {
            throw MailError(isPassing: true, "the mail cannot be written into its directory")
        }
    }

    /// Seen whole or not at all, and open to this account alone.
    private func create(_ name: String, holding bytes: [UInt8]) throws {
        let temporary = "\(path)/.\(name).part"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(.EIO) }
        defer { close(file) }
        guard write(file, bytes), rename(temporary, "\(path)/\(name)") == 0 else {
            unlink(temporary)
            throw POSIXError(.EIO)
        }
    }

    private func write(_ file: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func removeOldest() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".eml") }.sorted()
        for name in names.dropLast(limit) { unlink("\(path)/\(name)") }
    }
}
