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
    enum Mood: Equatable {
        case well
        /// Answers nothing but 500.
        case failing
        /// Says that it has kept what it has not.
        case forgetting
        /// Keeps other bytes than it is given, as many.
        case confusing
        /// Gives half of what it is asked for.
        case cutting
        /// Gives other bytes than it has, of all parts that begin there or later.
        case changing(from: Int)
        /// Knows the keys no more.
        case expired
    }

    private struct State {
        var mood = Mood.well
        var objects: [String: ByteBuffer] = [:]
        /// Takes so many more before it fails; nil for any number.
        var room: Int?
        /// Objects that it does not remove.
        var locked: Set<String> = []
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
        state.withLock { state in
            state.mood = mood
            state.room = nil
        }
    }

    /// Has it fail once it has taken so many more.
    func fail(after count: Int) {
        state.withLock { $0.room = count }
    }

    /// Has it refuse to remove what it has now.
    func lock() {
        state.withLock { $0.locked = Set($0.objects.keys) }
    }

    func unlock() {
        state.withLock { $0.locked = [] }
    }

    func lose() {
        state.withLock { $0.objects = [:] }
    }

    private func answer(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 26)
        let (method, path, range) = (request.method, request.uri.path, request.headers[.range])
        let mood = state.withLock { $0.mood }
        switch mood {
        case .failing: return Response(status: .internalServerError)
        case .expired: return Self.refusal(.forbidden, "ExpiredToken", to: method)
        default: break
        }
        switch method {
        case .put: return keep(body, at: path, mood)
        case .delete:
            let isLocked = state.withLock { state in
                guard !state.locked.contains(path) else { return true }
                state.objects[path] = nil
                return false
            }
            return isLocked ? Self.refusal(.forbidden, "AccessDenied", to: method) : Response(status: .noContent)
        default:
            if path == "/files" { return listing(after: request.uri.queryParameters["start-after"].map { String($0) }) }
            guard let object = state.withLock({ $0.objects[path] }) else {
                return Self.refusal(.notFound, "NoSuchKey", to: method)
            }
            if method == .head {
                return Response(status: .ok, headers: [.contentLength: "\(object.readableBytes)"])
            }
            return Response(status: .partialContent, body: ResponseBody(byteBuffer: given(object, range, mood)))
        }
    }

    /// What it has, two at a time.
    private func listing(after key: String?) -> Response {
        let keys = state.withLock { $0.objects.keys.map { String($0.dropFirst("/files/".count)) } }.sorted()
        let page = keys.filter { name in key.map { $0 < name } ?? true }.prefix(2)
        let text = page.map { "<Contents><Key>\($0)</Key></Contents>" }.joined()
        let body = ByteBuffer(string: "<ListBucketResult>\(text)</ListBucketResult>")
        return Response(status: .ok, body: ResponseBody(byteBuffer: body))
    }

    private func keep(_ body: ByteBuffer, at path: String, _ mood: Mood) -> Response {
        let isKept = state.withLock { state in
            if let room = state.room {
                guard room > 0 else {
                    state.mood = .failing
                    return false
                }
                state.room = room - 1
            }
            if mood != .forgetting { state.objects[path] = mood == .confusing ? Self.changed(body) : body }
            return true
        }
        return Response(status: isKept ? .ok : .internalServerError)
    }

    private func given(_ object: ByteBuffer, _ range: String?, _ mood: Mood) -> ByteBuffer {
        let part = Self.part(of: object, range)
        switch mood {
        case .cutting: return part.getSlice(at: 0, length: part.readableBytes / 2) ?? part
        case .changing(let start) where Self.ends(of: range).first ?? 0 >= start: return Self.changed(part)
        default: return part
        }
    }

    /// As long as S3's are, and longer than many a file.
    private static func refusal(
        _ status: HTTPResponse.Status,
        _ code: String,
        to method: HTTPRequest.Method
    ) -> Response {
        guard method != .head else { return Response(status: status) }
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>\(code)</Code><Message>\(String(repeating: "No. ", count: 100))</Message></Error>
            """
        return Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func changed(_ bytes: ByteBuffer) -> ByteBuffer {
        var all = Array(bytes.readableBytesView)
        if let last = all.popLast() { all.append(~last) }
        return ByteBuffer(bytes: all)
    }

    private static func ends(of range: String?) -> [Int] {
        range?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) } ?? []
    }

    private static func part(of object: ByteBuffer, _ range: String?) -> ByteBuffer {
        let ends = ends(of: range)
        guard ends.count == 2, let slice = object.getSlice(at: ends[0], length: ends[1] - ends[0] + 1) else {
            return object
        }
        return slice
    }
}
