import Edge
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ParleyWire

/// What those who run the server look at: health, metrics, the specification.
struct OperationController {
    let readiness: Readiness
    let metrics: @Sendable () -> String
    /// Whether the clients' port exposes metrics.
    let exposesMetrics: Bool
    let gate: RateGate

    /// The routes of the clients' port.
    func addRoutes(to router: Routes<EdgeContext>) {
        addHealth(to: router)
        if exposesMetrics { addMetrics(to: router) }
        router.get("openapi.yaml") { _, _ in Self.text(Self.specification, type: "application/yaml") }
    }

    /// On every port: who sends people to a port asks there whether it answers.
    func addHealth(to router: Routes<EdgeContext>) {
        router.get("healthz") { _, _ in JSONBody.response(["status": "ok"]) }
        router.get("readyz", use: ready)
    }

    func addMetrics(to router: Routes<EdgeContext>) {
        router.get("metrics") { _, _ in
            gate.recordBuckets()
            return Self.text(ByteBuffer(string: metrics()), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    @Sendable private func ready(_ request: Request, _ context: EdgeContext) async throws -> Response {
        let reasons = await readiness.reasonsAgainst()
        guard reasons.isEmpty else { throw HTTPProblem(.unavailable, reasons.joined(separator: "; ")) }
        let notes = await readiness.currentNotes()
        return JSONBody.response(ReadyAnswer(status: "ready", notes: notes.isEmpty ? nil : notes))
    }

    private struct ReadyAnswer: Encodable {
        let status: String
        let notes: [String]?
    }

    private static let specification: ByteBuffer = {
        guard let bytes = EmbeddedFiles.all["openapi.yaml"] else {
            preconditionFailure("it is in the folder Embedded")
        }
        return ByteBuffer(bytes: bytes)
    }()

    private static func text(_ body: ByteBuffer, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: body))
    }
}
