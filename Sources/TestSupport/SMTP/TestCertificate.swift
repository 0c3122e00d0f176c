import Foundation
import Postgres

/// A certificate for this machine that nobody trusts who is not told to.
package struct TestCertificate: Sendable {
    private let directory: String

    package var path: String { "\(directory)/certificate.pem" }
    package var keyPath: String { "\(directory)/key.pem" }

    struct NotMade: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - names: what it is of.
    ///   - isOfThisMachine: whether it is of this machine's own name and address, too.
    package static func make(names: [String] = [], isOfThisMachine: Bool = true) async throws -> TestCertificate {
        let directory = "/tmp/parley-certificate-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let certificate = TestCertificate(directory: directory)
        let all = (isOfThisMachine ? ["DNS:localhost", "IP:127.0.0.1"] : []) + names.map { "DNS:\($0)" }
        let (status, output) = try await ChildProcess.run(
            [
                "/usr/bin/env", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=" + all.joined(separator: ","),
                "-keyout", certificate.keyPath, "-out", certificate.path,
            ],
            environment: ["PATH": PythonTools.searchPath]
        )
        guard status.isSuccess else { throw NotMade(description: "openssl made no certificate: \(output)") }
        return certificate
    }

    package func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }
}
