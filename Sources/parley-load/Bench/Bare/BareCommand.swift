import ArgumentParser
import Hummingbird
import Logging
import NIOCore

/// The yardstick for HTTP: the same framework with nothing behind it.
struct BareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare",
        abstract: "Serves bare routes for `bench` to compare with: no accounts, no rules, no database.",
        shouldDisplay: false
    )

    @Option(help: "The port to listen on.")
    var port = 8081

    func run() async throws {
        let router = Router()
        router.get("readyz") { _, _ in "ready" }
        router.put("v1/conversations/:conversation/messages/:message") { request, context in
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(
                status: .created,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: Self.answer(context.parameters.get("message") ?? ""))
            )
        }
        router.get("v1/stream") { request, _ in
            Response(status: .ok, headers: [.contentType: "text/event-stream"], body: Self.idleStream(request))
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), backlog: 1024),
            logger: Logger(label: "bare") { _ in SwiftLogNoOpLogHandler() }
        )
        try await application.runService()
    }

    private static func answer(_ message: String) -> ByteBuffer {
        ByteBuffer(string: #"{"id":"\#(message)"}"#)
    }

    /// Ready at once, and a comment every 25 seconds, as Parley's streams.
    private static func idleStream(_ request: Request) -> ResponseBody {
        ResponseBody { writer in
            try await writer.write(ByteBuffer(string: "retry: 1500\n\nevent: ready\ndata: {}\n\n"))
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                while true {
                    try await Task.sleep(for: .seconds(25))
                    try await writer.write(ByteBuffer(string: ": \n\n"))
                }
            }
            try await writer.finish(nil)
        }
    }
}
