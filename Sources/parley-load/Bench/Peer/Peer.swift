import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// A peer, set up: what its connections send.
struct Peer: Sendable {
    private static let timeout = TimeAmount.seconds(60)
    private static let width = 8

    let file: PeerFile
    private let run = FreshIDs.make().description.suffix(12)
    private let text: String

    init(_ file: PeerFile, textLength: Int) {
        self.file = file
        text = String(String(repeating: "Lorem ipsum dolor sit amet. ", count: textLength / 28 + 1).prefix(textLength))
    }

    /// Does the setup for every sender, and prepares the request that is measured.
    func plan(connections: Int, progress: Progress) async throws -> RequestPlan {
        progress.begin("setting up \(file.name)", total: file.senders)
        defer { progress.end() }
        let senders = try await concurrentMap(Array(1...file.senders), width: Self.width) { number in
            let values = try await setUp(sender: number)
            progress.advance()
            return values
        }
        let templates = try senders.map { values in
            let step = file.request
            return RequestTemplate(
                step.method,
                try PeerText.fill(step.path, values, in: .path),
                to: file.address,
                headers: try headers(of: step, values),
                body: try step.body.map { try PeerText.fill($0, values, in: .body) }
            )
        }
        return RequestPlan(
            templates: (0..<connections).map { templates[$0 % templates.count] },
            success: file.request.success
        )
    }

    private func headers(of step: PeerFile.Step, _ values: [String: String]) throws -> [(name: String, value: String)] {
        try step.headers.sorted { $0.key < $1.key }
            .map { ($0.key, try PeerText.fill($0.value, values, in: .header)) }
    }

    /// What a sender's placeholders stand for after all steps.
    private func setUp(sender: Int) async throws -> [String: String] {
        var values = ["run": String(run), "sender": "\(sender)", "text": text]
        for (number, step) in file.setup.enumerated() {
            let fresh = values.merging(["uuid": "\(FreshIDs.make())", "counter": "\(number)"]) { $1 }
            let place = "setup[\(number)] \(step.method) \(step.path)"
            let (status, body) = try await send(step, fresh)
            guard step.success.contains(status) else {
                let said = String(decoding: body.prefix(300), as: UTF8.self)
                throw APIFailure.unexpected(request: place, answer: "\(status) \(said)")
            }
            for (name, path) in step.variables {
                guard let value = PeerText.value(at: path, in: body) else {
                    throw APIFailure.unexpected(request: place, answer: "without '\(path)' for {\(name)}")
                }
                values[name] = value
            }
        }
        return values
    }

    private func send(_ step: PeerFile.Step, _ values: [String: String]) async throws -> (status: Int, body: Data) {
        let target = try PeerText.fill(step.path, values, in: .path)
        var request = HTTPClientRequest(url: "http://\(file.address.host):\(file.address.port)\(target)")
        request.method = HTTPMethod(rawValue: step.method)
        for header in try headers(of: step, values) { request.headers.add(name: header.name, value: header.value) }
        if let body = step.body {
            request.body = .bytes(ByteBuffer(string: try PeerText.fill(body, values, in: .body)))
        }
        do {
            let answer = try await HTTPClient.shared.execute(request, timeout: Self.timeout)
            let body = try await answer.body.collect(upTo: 16 << 20)
            return (Int(answer.status.code), Data(body.readableBytesView))
        } catch {
            throw APIFailure.unreachable(request: "\(step.method) \(step.path)", reason: "\(error)")
        }
    }
}
