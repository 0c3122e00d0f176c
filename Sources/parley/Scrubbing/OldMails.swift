import Foundation

/// Mails that were written as files, where no mail server is set: for development, and dispensable.
struct OldMails {
    let dataDirectory: String

    /// - Returns: how many were removed.
    func remove() throws -> Int {
        let directory = URL(fileURLWithPath: dataDirectory).appendingPathComponent("mail")
        guard FileManager.default.fileExists(atPath: directory.path) else { return 0 }
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        let mails = files.filter { $0.pathExtension == "eml" }
        for mail in mails { try FileManager.default.removeItem(at: mail) }
        return mails.count
    }
}
