import ArgumentParser
import Logging
import NIOCore
import NIOPosix

/// Asks the server on this machine whether it is ready.
struct Health: Command {
    static let configuration = CommandConfiguration(
        abstract: "Ask the server on this machine whether it is ready.",
        discussion: """
            For whoever watches a server where nothing else speaks HTTP, as in a container. Asks for /readyz on the port \
            for metrics and health where there is one, else on the clients'; where neither is named, as the server of the data \
            directory has them. Ends with 0 where the server is ready, and \
            with 1 where it is not, or has not answered within 2 s.
            """
    )

    private static let limit = Duration.seconds(2)
    private static let maxAnswerBytes = 65_536

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let answer: String?
        do {
            answer = try await ask()
        } catch {
            print("no answer: \(TerminalText.line("\(error)"))")
            throw ExitCode(1)
        }
        guard let answer else {
            print("no answer within \(Self.limit)")
            throw ExitCode(1)
        }
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        print(TerminalText.line(parts.count > 1 ? String(parts[1]) : answer))
        guard answer.hasPrefix("HTTP/1.1 200 ") else { throw ExitCode(1) }
    }

    /// The whole answer; nil where none came in time.
    private func ask() async throws -> String? {
        let (host, port) = address
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await exchange(host, port) }
            group.addTask {
                try await Task.sleep(for: Self.limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private var address: (host: String, port: Int) {
        if let port = settings.operation.port.value { return (reachable(settings.operation.host.value), port) }
        let isNamed = settings.port.source != .default || settings.host.source != .default
        if !isNamed, let known = ListeningFile(settings)?.read() { return (reachable(known.host), known.port) }
        return (reachable(settings.host.value), settings.port.value)
    }

    /// Who listens on every address listens on the loopback one.
    private func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        case _: host
        }
    }

    private func exchange(_ host: String, _ port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(TimeAmount(Self.limit))
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            try await outbound.write(ByteBuffer(string: request))
            var answer = ByteBuffer()
            for try await piece in inbound {
                answer.writeImmutableBuffer(piece)
                if answer.readableBytes > Self.maxAnswerBytes { break }
            }
            return String(buffer: answer)
        }
    }
}
