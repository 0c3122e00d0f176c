import CoreMetrics
import Foundation
import NIOCore
import NIOPosix

/// Has files looked at by ClamAV's daemon, by its protocol INSTREAM.
package struct ClamScanner: Sendable {
    /// Where the daemon listens.
    package enum Address: Sendable, Hashable {
        case tcp(host: String, port: Int)
        case unix(path: String)
    }

    private static let timeout: TimeAmount = .seconds(60)

    private let address: Address

    package init(_ address: Address) {
        self.address = address
    }

    /// - Throws: ``AttachmentError``: `harmful`; `unavailable` where the daemon gives no verdict.
    func scan(_ file: SealedUpload) async throws {
        let verdict: String
        do {
            verdict = try await ask { writer in
                try await writer.write(ByteBuffer(string: "zINSTREAM\0"))
                try await file.forEachPiece { piece in
                    var chunk = ByteBuffer()
                    chunk.writeInteger(UInt32(piece.count))
                    chunk.writeBytes(piece)
                    try await writer.write(chunk)
                }
                try await writer.write(ByteBuffer(integer: UInt32(0)))
            }
        } catch {
            throw AttachmentError.unavailable
        }
        if verdict.hasSuffix("FOUND") {
            AttachmentMetrics.harmful.increment()
            throw AttachmentError.harmful
        }
        guard verdict.hasSuffix("OK") else { throw AttachmentError.unavailable }
    }

    /// Whether it answers; nil where it does, else why not.
    func trouble() async -> String? {
        let answer = try? await ask { try await $0.write(ByteBuffer(string: "zPING\0")) }
        return answer == "PONG" ? nil : "the virus scanner does not answer"
    }

    private func ask(
        _ say: @Sendable (NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Void
    ) async throws -> String {
        let channel = try await connect()
        let timeout = channel.channel.eventLoop.scheduleTask(in: Self.timeout) { channel.channel.close(promise: nil) }
        defer { timeout.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            try await say(outbound)
            var answer = ByteBuffer()
            for try await bytes in inbound {
                answer.writeImmutableBuffer(bytes)
                if answer.readableBytesView.contains(0) || answer.readableBytes > 4_096 { break }
            }
            return String(buffer: answer).trimmingCharacters(in: CharacterSet(charactersIn: "\0\n "))
        }
    }

    private func connect() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(5))
        let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel(wrappingChannelSynchronously: channel)
            }
        }
        switch address {
        case .tcp(let host, let port):
            return try await bootstrap.connect(host: host, port: port, channelInitializer: wrap)
        case .unix(let path):
            return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: wrap)
        }
    }
}

extension ClamScanner.Address {
    /// - Parameter text: `host:port`, or the path of a socket.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            self = .unix(path: text)
            return
        }
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = Int(text[text.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        self = .tcp(host: String(text[..<colon]), port: port)
    }
}
