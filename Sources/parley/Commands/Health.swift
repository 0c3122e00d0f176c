import ArgumentParser
import Foundation
import Logging
import NIOCore
import NIOPosix

/// Asks the server on this machine whether it is ready.
struct Health: Command {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask the server on this machine whether it is ready.",
        discussion: """
            For whoever watches a server where nothing else speaks HTTP, as in a container. Asks for /readyz on the port \
            for metrics and health where there is one, else on the clients'; where neither is named, as the server of the data \
            directory has them. Ends with 0 where the server is ready, and \
            with 1 where it is not, or has not answered within 2 s. With --wait it asks again each second for as long, says \
            once what it waits for, and at the end what the last answer was.
            """
    )

    private static let limit = Duration.seconds(2)
    private static let pause = Duration.seconds(1)
    private static let maxAnswerBytes = 65_536

    @Option(help: "Seconds to wait for a server that is not ready yet.")
    var wait = 0

    @OptionGroup var settings: Configuration

    func validate() throws {
        guard (0...3_600).contains(wait) else { throw ValidationError("--wait is 0 to 3600") }
    }

    func execute(logger: Logger) async throws {
        let deadline = ContinuousClock.now + .seconds(wait)
        var report = await ask()
        if !report.isReady, wait > 0 {
            let note = "waiting up to \(wait) s until the server at \(report.place) is ready\n"
            FileHandle.standardError.write(Data(note.utf8))
        }
        while !report.isReady, ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pause)
            report = await ask()
        }
        print(report.text)
        guard report.isReady else { throw ExitCode(1) }
    }

    /// What came of asking once.
    private struct Report {
        /// Host and port that were asked.
        let place: String
        let isReady: Bool
        let text: String
    }

    private func ask() async -> Report {
        // Each time anew: the server of a data directory may have been started since, on another port.
        let server = address
        let place = TerminalText.line("\(server)")
        let none = "no answer from \(place)"
        do {
            guard let answer = try await answerInTime(of: server) else {
                return Report(place: place, isReady: false, text: "\(none) within \(Self.limit)")
            }
            guard !answer.isEmpty else {
                return Report(place: place, isReady: false, text: "\(none): it closed the connection")
            }
            let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
            return Report(
                place: place,
                isReady: answer.hasPrefix("HTTP/1.1 200 "),
                text: TerminalText.line(parts.count > 1 ? String(parts[1]) : answer)
            )
        } catch {
            let reason = TerminalText.line(UnreachedServer.reason(error))
            return Report(place: place, isReady: false, text: "\(none): \(reason)")
        }
    }

    /// The whole answer; nil where none came in time.
    private func answerInTime(of server: OwnAddress) async throws -> String? {
        try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await exchange(server) }
            group.addTask {
                try await Task.sleep(for: Self.limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private var address: OwnAddress {
        if let port = settings.operation.port.value {
            return OwnAddress(listeningOn: settings.operation.host.value, port)
        }
        let isNamed = settings.port.source != .default || settings.host.source != .default
        if !isNamed, let known = ListeningFile(settings)?.read() {
            return OwnAddress(listeningOn: known.host, known.port)
        }
        return OwnAddress(listeningOn: settings.host.value, settings.port.value)
    }

    private func exchange(_ server: OwnAddress) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(TimeAmount(Self.limit))
            .connect(host: server.host, port: server.port) { channel in
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
