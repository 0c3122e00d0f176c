import API
import Attachments
import Foundation
import HTTPTypes
import Messaging
import Metrics
import NIOCore
import ParleyWire
import Postgres
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

    @Test func `has the database wait for its disk once, and what is sent with it, or takes it away, once more`()
        async throws
    {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let image = try SampleImage.bytes("plain.jpg")
            try await Commits.watch()
            var files: [ParleyWire.Attachment] = []
            for _ in 0..<3 {
                files.append(try await ada.upload(image, "kind=image", type: "image/jpeg"))
                // Nothing is told before the second, and no log keeps one without what came before it.
                #expect(try await Commits.next() == ["1 attachments INSERT off", "1 attachments UPDATE on"])
            }
            // The message's own waits.
            let sent = files.removeLast()
            #expect(try await ada.send([sent], in: talk.id).status == .created)
            #expect(try await Commits.next() == ["1 attachment_uses INSERT off"])
            for file in files {
                #expect(try await ada.bring(.delete, "/v1/attachments/\(file.id)").status == .noContent)
                #expect(try await Commits.next() == ["1 attachments UPDATE on"])
            }
            try await server.collect(isShown: false)
            #expect(try await Commits.next() == ["2 attachments UPDATE off", "2 attachments DELETE off"])
            #expect(try await server.blobs() == 2)
        }
    }
}

/// The transactions that have written of files.
private enum Commits {
    static func watch() async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.script(
                """
                CREATE TABLE public.commits (
                    id bigint GENERATED ALWAYS AS IDENTITY,
                    transaction text NOT NULL,
                    what text NOT NULL);
                CREATE FUNCTION public.note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    INSERT INTO public.commits (transaction, what) VALUES (
                        pg_current_xact_id()::text,
                        concat_ws(' ', TG_TABLE_NAME, TG_OP, current_setting('synchronous_commit')));
                    RETURN NULL;
                END $$;
                CREATE TRIGGER note_commit AFTER INSERT OR UPDATE OR DELETE ON parley.attachments
                FOR EACH ROW EXECUTE FUNCTION public.note_commit();
                CREATE TRIGGER note_commit AFTER INSERT OR UPDATE OR DELETE ON parley.attachment_uses
                FOR EACH ROW EXECUTE FUNCTION public.note_commit();
                """
            )
        }
    }

    /// Those since the last call, in their order: how many rows, and whether the commit waits.
    static func next() async throws -> [String] {
        try await TestDatabase.current.administrator.query(
            """
            WITH taken AS (DELETE FROM public.commits c RETURNING c.id, c.transaction, c.what)
            SELECT concat_ws(' ', count(*), min(t.what)) AS line FROM taken t
            GROUP BY t.transaction ORDER BY min(t.id)
            """
        ).map { try $0.decode("line", as: String.self) }
    }
}
