import API
import Attachments
import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import Edge

/// Somebody enters what has a file, and another, who has begun before that is committed, comes for the file.
@Suite(.database, .timeLimit(.minutes(5))) struct `A file that two come for at once` {
    private static let notes = Array("Dear diary, ".utf8)

    /// Has a file's row locked while a statement enters something, and somebody else wait for the row until that is committed.
    private func result<Value: Sendable>(
        while entering: SQL,
        locks file: UUID,
        _ other: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let administrator = TestDatabase.current.administrator
        let waiting = try await administrator.withTransaction { connection in
            try await connection.execute(
                "SELECT FROM parley.attachments a WHERE a.attachment_id = \(file) FOR UPDATE"
            )
            try await connection.execute(entering)
            let waiting = Task { try await other() }
            while try await administrator.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%parley.attachments%'
                """
            ).isEmpty { await Task.pause() }
            return waiting
        }
        return try await waiting.value
    }

    private func isThere(_ file: UUID, on server: TestServer) async throws -> Bool {
        try await server.dependencies.attachments.find(file) != nil
    }

    private func use(of file: UUID, by sender: UUID, in message: UUID = UUID()) -> SQL {
        """
        INSERT INTO parley.attachment_uses (attachment_id, conversation_id, message_id, sender_id)
        VALUES (\(file), \(UUID()), \(message), \(sender))
        """
    }

    private func picture(_ file: UUID, of person: UUID) -> SQL {
        "INSERT INTO parley.pictures (attachment_id, subject_id, is_group) VALUES (\(file), \(person), false)"
    }

    @Test func `is not collected by who began before it was attached`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            for isPicture in [false, true] {
                let file = try await ada.upload(Self.notes).id.uuid
                let entering = isPicture ? picture(file, of: ada.id.uuid) : use(of: file, by: ada.id.uuid)
                try await result(while: entering, locks: file) {
                    try await server.collect(at: Date().addingTimeInterval(86_500))
                }
                #expect(try await isThere(file, on: server))
            }
        }
    }

    @Test func `is not withdrawn by who began before it was attached`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let file = try await ada.upload(Self.notes)
            try await result(while: use(of: file.id.uuid, by: ada.id.uuid), locks: file.id.uuid) {
                try await ada.bring(.delete, "/v1/attachments/\(file.id)")
            }.expect(.forbidden)
            #expect(try await isThere(file.id.uuid, on: server))
        }
    }

    @Test func `is in one message, or one picture, and not in both`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let attachments = server.dependencies.attachments
            for isPicture in [false, true] {
                let file = try await ada.upload(try SampleImage.bytes("plain.jpg"), "kind=image").id.uuid
                let entering = isPicture ? picture(file, of: ada.id.uuid) : use(of: file, by: ada.id.uuid)
                let claimed = try await result(while: entering, locks: file) {
                    try await attachments.claim([file], of: ada.id.uuid, for: UUID(), in: UUID())
                }
                #expect(claimed.isEmpty)
            }
            let file = try await ada.upload(try SampleImage.bytes("plain.jpg"), "kind=image").id.uuid
            let isClaimed = try await result(while: use(of: file, by: ada.id.uuid), locks: file) {
                try await attachments.claimPicture(file, of: ada.id.uuid, for: ada.id.uuid, isGroup: false)
            }
            #expect(!isClaimed)
        }
    }

    @Test func `is not kept by a message that cannot have another`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let (mine, other) = (try await ada.upload(Self.notes).id.uuid, UUID())
            let attachments = server.dependencies.attachments
            let found = try await attachments.claim([mine, other], of: ada.id.uuid, for: UUID(), in: UUID())
            #expect(found.map(\.id) == [mine])
            #expect(try await attachments.claim([mine], of: ada.id.uuid, for: UUID(), in: UUID()).count == 1)
        }
    }

    @Test func `stays with a message that is sent a day after the first try`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let attachments = server.dependencies.attachments
            let (talk, message) = (try await ada.talk(to: bob).id.uuid, UUID())
            let administrator = TestDatabase.current.administrator
            let old = Date().addingTimeInterval(-90_000)
            let ageing: SQL = "UPDATE parley.attachment_uses SET used_at = \(old)"
            // What is tried again counts from then on.
            let file = try await ada.upload(Self.notes).id.uuid
            _ = try await attachments.claim([file], of: ada.id.uuid, for: message, in: talk)
            try await administrator.execute(ageing)
            _ = try await attachments.claim([file], of: ada.id.uuid, for: message, in: talk)
            try await server.collect()
            #expect(try await isThere(file, on: server))
            // The collector has found it old, and asked the log, when it is tried again.
            try await administrator.execute(ageing)
            try await result(while: "UPDATE parley.attachment_uses SET used_at = now()", locks: file) {
                try await server.collect()
            }
            #expect(try await isThere(file, on: server))
            try await administrator.execute(ageing)
            try await server.collect()
            #expect(try await !isThere(file, on: server))
        }
    }

    @Test func `does not go with an erased person who had passed it on`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let file = try await ada.upload(Self.notes).id.uuid
            try await TestDatabase.current.administrator.execute(use(of: file, by: bob.id.uuid))
            try await result(while: use(of: file, by: ada.id.uuid), locks: file) {
                try await server.dependencies.attachments.forget(bob.id.uuid)
            }
            #expect(try await isThere(file, on: server))
        }
    }
}
