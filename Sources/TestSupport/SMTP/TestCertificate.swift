import Foundation
import Postgres

/// A certificate for this machine that nobody trusts who is not told to.
struct TestCertificate: Sendable {
    private let directory: String

    var path: String { "\(directory)/certificate.pem" }
    var keyPath: String { "\(directory)/key.pem" }

    struct NotMade: Error, CustomStringConvertible {
        let description: String
    }

    static func make() async throws -> TestCertificate {
        let directory = "/tmp/parley-certificate-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let certificate = TestCertificate(directory: directory)
        let (status, output) = try await ChildProcess.run(
            [
                "/usr/bin/env", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", certificate.keyPath, "-out", certificate.path,
            ],
            environment: ["PATH": PythonTools.searchPath]
        )
        guard status.isSuccess else { throw NotMade(description: "openssl made no certificate: \(output)") }
        return certificate
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }
}
