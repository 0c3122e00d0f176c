package import Foundation

/// Where a bucket is, and who may use it.
package struct S3Bucket: Sendable {
    /// Such as `https://s3.eu-central-1.amazonaws.com`; the bucket is the first part of every path.
    package let endpoint: URL
    package let name: String
    package let region: String
    package let accessKey: String
    package let secretKey: String
    /// Put before every name, where several share a bucket.
    package let prefix: String
    /// How long the service may say nothing, before it is taken not to answer.
    package var patience: Duration = .seconds(15)

    package init(
        endpoint: URL,
        name: String,
        region: String,
        accessKey: String,
        secretKey: String,
        prefix: String = ""
    ) {
        self.endpoint = endpoint
        self.name = name
        self.region = region
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.prefix = prefix
    }
}

extension S3Bucket: CustomStringConvertible, CustomReflectable {
    package var description: String { "S3Bucket(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
