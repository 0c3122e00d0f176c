import ArgumentParser
import Attachments
import Foundation

/// The settings of files.
struct AttachmentSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "attachments-dir",
            .text,
            "Where files come in, and are kept unless they go to S3; attachments in the data directory where it is not set. "
                + "Several servers share it."
        )
    )
    var directory: Setting<String?>

    @Option(
        Setting(
            optional: "image-helper",
            .text,
            "The program that makes pictures; parley-image beside this one where it is not set."
        )
    )
    var imageHelper: Setting<String?>

    @Option(
        Setting(
            "images-at-once",
            default: Cores.allButOne,
            .wholeNumber(1...Cores.count),
            "Images that are made at once, each by a core of its own; a core is left for all else where it is not set."
        )
    )
    var imagesAtOnce: Setting<Int>

    @Option(Setting("max-image-size", default: "10", .wholeNumber(1...64), "MiB that an image may have as it comes."))
    var imageSize: Setting<Int>

    @Option(
        Setting("max-file-size", default: "25", .wholeNumber(1...1_024), "MiB that a file, or an audio file, may have.")
    )
    var fileSize: Setting<Int>

    @Option(
        Setting(
            "files-per-person",
            default: "1024",
            .wholeNumber(1...1_048_576),
            "MiB of files that one person may have."
        )
    )
    var perPerson: Setting<Int>

    @Option(
        Setting(
            optional: "files-in-all",
            .wholeNumber(1...1_073_741_824),
            "MiB of files that all may have; what the disk holds where it is not set."
        )
    )
    var inAll: Setting<Int?>

    @Option(
        Setting(
            "keep-unattached",
            default: "24h",
            .duration(from: .seconds(60), to: .seconds(30 * 86_400)),
            "How long a file is kept that is in no message."
        )
    )
    var keepUnattached: Setting<Duration>

    @Option(
        Setting(
            optional: "clamd",
            .scanner,
            "ClamAV's daemon, which looks at every file: host:port, or the path of its socket."
        )
    )
    var scanner: Setting<ClamScanner.Address?>

    @Option(
        Setting(
            optional: "s3-endpoint",
            .endpoint,
            "A service that speaks S3, where files are kept then: https://host."
        )
    )
    var endpoint: Setting<URL?>

    @Option(Setting(optional: "s3-bucket", .text, "The bucket for them."))
    var bucket: Setting<String?>

    @Option(Setting("s3-region", default: "us-east-1", .text, "The region that requests are signed for."))
    var region: Setting<String>

    @Option(Setting(optional: "s3-access-key", .text, "The name of the key for it."))
    var accessKey: Setting<String?>

    @Option(
        Setting(
            optional: "s3-secret-key",
            .text,
            isSecret: true,
            "The key. Better as a variable: others can see flags."
        )
    )
    var secretKey: Setting<String?>

    @Option(Setting(optional: "s3-prefix", .text, "What stands before every name, where several share a bucket."))
    var prefix: Setting<String?>
}

extension SettingReader where Value == ClamScanner.Address {
    static var scanner: Self { Self("host:port, or the path of a socket") { ClamScanner.Address($0) } }
}

extension SettingReader where Value == URL {
    /// The address of a service, without a path.
    static var endpoint: Self {
        Self("an address such as https://s3.example.org or http://127.0.0.1:9000, without a path") { text in
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), let host = url.host,
                !host.isEmpty,
                url.path.isEmpty || url.path == "/", url.query == nil
            else { return nil }
            return url
        }
    }
}

extension Configuration {
    /// Where a bucket is meant, all of it has to be said.
    func s3Bucket() throws(ConfigurationError) -> S3Bucket? {
        let settings = attachments
        guard let endpoint = settings.endpoint.value else {
            for setting in [settings.bucket, settings.accessKey, settings.secretKey, settings.prefix]
            where setting.value != nil {
                throw ConfigurationError(
                    "\(setting.environmentName) is of use only with \(settings.endpoint.environmentName)"
                )
            }
            return nil
        }
        guard let name = settings.bucket.value, let access = settings.accessKey.value,
            let secret = settings.secretKey.value
        else {
            let names = [settings.bucket, settings.accessKey, settings.secretKey].map(\.environmentName)
            throw ConfigurationError(
                "\(settings.endpoint.environmentName) needs \(names.joined(separator: ", ")) beside it"
            )
        }
        return S3Bucket(
            endpoint: endpoint,
            name: name,
            region: settings.region.value,
            accessKey: access,
            secretKey: secret,
            prefix: settings.prefix.value ?? ""
        )
    }

    func attachmentSettings() throws(ConfigurationError) -> Attachments.Settings {
        var settings = Attachments.Settings(
            directory: attachments.directory.value ?? "\(dataDirectory.value)/attachments",
            imageHelper: attachments.imageHelper.value ?? Self.besideThisProgram("parley-image")
        )
        settings.imagesAtOnce = attachments.imagesAtOnce.value
        settings.limits.imageBytes = attachments.imageSize.value << 20
        settings.limits.fileBytes = attachments.fileSize.value << 20
        settings.limits.personBytes = Int64(attachments.perPerson.value) << 20
        settings.limits.serverBytes = attachments.inAll.value.map { Int64($0) << 20 }
        settings.limits.unattached = attachments.keepUnattached.value
        settings.scanner = attachments.scanner.value.map { ClamScanner($0) }
        settings.bucket = try s3Bucket()
        return settings
    }

    private static func besideThisProgram(_ name: String) -> String {
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return "\((program as NSString).deletingLastPathComponent)/\(name)"
    }
}
