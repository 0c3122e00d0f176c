import Foundation
import Postgres

/// A real mail server on this machine, PyPI's aiosmtpd, which tells what it takes.
package final class SMTPTestServer: Sendable {
    package enum Security: String, Sendable {
        case none
        case startTLS = "starttls"
        case implicit
    }

    package let port: Int
    /// A file with the certificate that a client of this server is to trust.
    package let certificate: String
    private let child: ChildProcess
    /// The server ends when this is closed, as it is when this process ends.
    private let input: FileDescriptor
    private let lines: AsyncStream<Line>

    /// A mail that the server took.
    package struct Mail: Sendable {
        package let from: String
        package let to: [String]
        package let content: String
        package let isEncrypted: Bool
        package let user: String?
    }

    package enum Failure: Error {
        case didNotStart(String)
    }

    private struct Line: Decodable, Sendable {
        var port: Int?
        var from: String?
        var to: [String]?
        var content: Data?
        var encrypted: Bool?
        var user: String?
        var hanging: String?
    }

    private init(port: Int, certificate: String, child: ChildProcess, input: FileDescriptor, lines: AsyncStream<Line>) {
        self.port = port
        self.certificate = certificate
        self.child = child
        self.input = input
        self.lines = lines
    }

    /// Runs a mail server while the test's body runs.
    ///
    /// - Parameter account: who may send; anyone where nil.
    package static func with(
        _ security: Security = .none,
        account: (user: String, password: String)? = nil,
        _ body: (SMTPTestServer) async throws -> Void
    ) async throws {
        let tools = try await PythonTools.aiosmtpd
        let certificate = try await TestCertificate.make()
        defer { certificate.remove() }
        let server = try await start(security, account, certificate, tools)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        server.child.signal(SIGKILL)
        _ = await server.child.wait()
        try result.get()
    }

    private static func start(
        _ security: Security,
        _ account: (user: String, password: String)?,
        _ certificate: TestCertificate,
        _ tools: PythonTools
    ) async throws -> SMTPTestServer {
        var command = [
            "/usr/bin/env", "python3", "-c", String(decoding: PackageResources.smtp_server_py, as: UTF8.self),
            "--tls", security.rawValue, "--certificate", certificate.path, "--key", certificate.keyPath,
        ]
        if let account { command += ["--user", account.user, "--password", account.password] }
        let (inputReading, inputWriting) = try FileDescriptor.pipe()
        let (outputReading, outputWriting) = try FileDescriptor.pipe()
        let child = try await ChildProcess.start(
            command,
            environment: ["PATH": PythonTools.searchPath, "PYTHONPATH": tools.directory, "PYTHONWARNINGS": "ignore"],
            input: inputReading,
            output: outputWriting
        )
        let lines = Self.lines(of: outputReading)
        for await line in lines {
            guard let port = line.port else { continue }
            return SMTPTestServer(
                port: port,
                certificate: certificate.path,
                child: child,
                input: inputWriting,
                lines: lines
            )
        }
        throw Failure.didNotStart("the mail server for tests ended at once: is aiosmtpd in \(tools.directory) whole?")
    }

    private static func lines(of output: FileDescriptor) -> AsyncStream<Line> {
        let (lines, continuation) = AsyncStream<Line>.makeStream()
        Thread.detachNewThread {
            guard let file = fdopen(dup(output.rawValue), "r") else { return continuation.finish() }
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, file) > 0, let text = line {
                if let read = try? JSONDecoder().decode(Line.self, from: Data(String(cString: text).utf8)) {
                    continuation.yield(read)
                }
            }
            free(line)
            fclose(file)
            continuation.finish()
        }
        return lines
    }

    /// Waits for the next mail that the server takes; nil if it has ended.
    package func next() async -> Mail? {
        for await line in lines {
            guard let from = line.from, let to = line.to, let content = line.content else { continue }
            return Mail(
                from: from,
                to: to,
                content: String(decoding: content, as: UTF8.self),
                isEncrypted: line.encrypted ?? false,
                user: line.user
            )
        }
        return nil
    }

    /// Waits until a client waits for an answer that it will not get.
    package func hangs() async {
        for await line in lines where line.hanging != nil { return }
    }
}
