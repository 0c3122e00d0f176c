import Crypto
import Foundation
import Logging
import Postgres

/// The key under which every person's key is wrapped: whoever loses it loses all personal content.
enum MasterKeyFile {
    static let byteCount = 32

    /// Reads the key from where the configuration says, else from the data directory of the private PostgreSQL; and the
    /// other one where there is one.
    static func load(_ settings: Configuration) throws(ConfigurationError) -> SecretKeys {
        let path = settings.secrets.masterKeyFile.value ?? defaultPath(in: settings.dataDirectory.value)
        let current = try read(settings.secrets.masterKey, path, settings.secrets.masterKeyFile)
        guard settings.secrets.otherMasterKey.value != nil || settings.secrets.otherMasterKeyFile.value != nil else {
            return SecretKeys(current: current, other: nil)
        }
        let other = try read(
            settings.secrets.otherMasterKey,
            settings.secrets.otherMasterKeyFile.value ?? "",
            settings.secrets.otherMasterKeyFile
        )
        return SecretKeys(current: current, other: other)
    }

    private static func read(
        _ setting: Setting<String?>,
        _ path: String,
        _ file: Setting<String?>
    ) throws(ConfigurationError) -> SymmetricKey {
        if let text = setting.value { return try decode(text, from: setting.environmentName) }
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ConfigurationError(
                "the master key cannot be read from \(path) (\(file.environmentName)); without it what the database holds "
                    + "cannot be read: restore it from a backup"
            )
        }
        return try decode(text, from: path)
    }

    /// Makes the key of a database that does not exist yet. Never called for one that does: a second key would
    /// silently make everything sealed so far unreadable.
    static func make(in dataDirectory: String, unlessSetIn settings: Configuration, logger: Logger) throws {
        let path = defaultPath(in: dataDirectory)
        guard settings.secrets.masterKey.value == nil, settings.secrets.masterKeyFile.value == nil,
            !FileManager.default.fileExists(atPath: path)
        else { return }
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        try FileDescriptor.replace(path, with: key.base64EncodedString() + "\n", mode: 0o600)
        logger.notice(
            "Made the master key: keep a copy, apart from the database's backups; without it they cannot be read",
            metadata: ["file": "\(path)"]
        )
    }

    private static func defaultPath(in dataDirectory: String) -> String { "\(dataDirectory)/master.key" }

    private static func decode(_ text: String, from source: String) throws(ConfigurationError) -> SymmetricKey {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: trimmed), bytes.count == byteCount else {
            throw ConfigurationError("the master key from \(source) is not \(byteCount) bytes in base64")
        }
        return SymmetricKey(data: bytes)
    }
}
