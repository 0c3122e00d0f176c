import API
import Attachments
import Foundation
import Metrics
import NIOCore
import ParleyWire
import TestSupport
import Testing

/// What a photo has others wait for who need the disk, too: decision 0101.
@Suite(.database, .timeLimit(.minutes(5))) struct `A photo that is uploaded` {
    @Test func `is synced with its small picture, in one directory`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let image = ByteBuffer(bytes: try SampleImage.bytes("plain.jpg"))
            let metrics = NotedMetrics()
            let outcome = try await withMetricsFactory(metrics) {
                let body = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                    continuation.yield(image)
                    continuation.finish()
                }
                let upload = UploadRequest(id: UUID(), owner: ada.id.uuid, kind: .image)
                return try await server.dependencies.attachments.put(upload, body)
            }
            guard case .complete = outcome else {
                Issue.record("it is not complete")
                return
            }
            #expect(try await server.blobs() == 2)
            // Both pictures, their directory, and the two above it, which are new here.
            #expect(metrics["parley_attachments_syncs_total"] == 5)
        }
    }
}
