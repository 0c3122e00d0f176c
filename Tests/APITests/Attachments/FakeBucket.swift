import Attachments
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import TestSupport

/// A service that speaks as much of S3 as files need, and fails as it is told to. It believes every signature, which the
/// checks of `Deploy/check-attachments` do not.
final class FakeBucket: Sendable {
    enum Mood {
        case well
        /// Answers nothing but 500.
        case failing
        /// Says that it has kept what it has not.
        case forgetting
        /// Gives half of what it is asked for.
        case cutting
    }

    private struct State {
        var mood = Mood.well
        var objects: [String: ByteBuffer] = [:]
    }

    private let state = Mutex(State())

    /// Runs one while the body runs, which is told how to reach it.
    static func with(_ body: @escaping @Sendable (FakeBucket, S3Bucket) async throws -> Void) async throws {
        let fake = FakeBucket()
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in try await fake.answer(request)
        }
        let application = Application(
            responder: responder,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: SecretWatch.logger
        )
        try await application.test(.live) { client in
            try await body(fake, try bucket(at: client.port ?? 0))
        }
    }

    static func bucket(at port: Int) throws -> S3Bucket {
        guard let endpoint = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return S3Bucket(endpoint: endpoint, name: "files", region: "x", accessKey: "key", secretKey: "secret")
    }

    var count: Int { state.withLock { $0.objects.count } }

    func set(_ mood: Mood) {
        state.withLock { $0.mood = mood }
    }

    func lose() {
        state.withLock { $0.objects = [:] }
    }

    private func answer(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 26)
        let (method, path, range) = (request.method, request.uri.path, request.headers[.range])
        let mood = state.withLock { $0.mood }
        if mood == .failing { return Response(status: .internalServerError) }
        switch method {
        case .put:
            if mood != .forgetting { state.withLock { $0.objects[path] = body } }
            return Response(status: .ok)
        case .delete:
            state.withLock { $0.objects[path] = nil }
            return Response(status: .noContent)
        default:
            guard let object = state.withLock({ $0.objects[path] }) else { return Response(status: .notFound) }
            if method == .head {
                return Response(status: .ok, headers: [.contentLength: "\(object.readableBytes)"])
            }
            let part = Self.part(of: object, range)
            let given = mood == .cutting ? part.getSlice(at: 0, length: part.readableBytes / 2) : part
            return Response(status: .partialContent, body: ResponseBody(byteBuffer: given ?? part))
        }
    }

    private static func part(of object: ByteBuffer, _ range: String?) -> ByteBuffer {
        let ends = range?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) } ?? []
        guard ends.count == 2, let slice = object.getSlice(at: ends[0], length: ends[1] - ends[0] + 1) else {
            return object
        }
        return slice
    }
}
