import API
import Attachments
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messaging
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import Edge

@Suite(.database, .timeLimit(.minutes(5))) struct `Bringing a file` {
    static let notes = Array("Dear diary, ".utf8)

    @Test func `tells of it, and has it for its owner`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let id = WireID()
            let answer = try await ada.bring(
                .put,
                "/v1/attachments/\(id)?kind=file&name=..%2Fnotes.txt",
                headers: [.contentType: "text/plain"],
                Self.notes
            )
            let file = try answer.decode(ParleyWire.Attachment.self, status: .created)
            #expect(file.id == id && file.kind == .file && file.bytes == 12 && file.name == "notes.txt")
            #expect(file.contentType == "text/plain" && file.width == nil && file.thumbnailURL == nil)
            #expect(answer["Upload-Complete"] == "?1" && answer["Upload-Offset"] == "12")
            let content = try await server.bring(.get, file.url)
            #expect(content.status == .ok && content.body == Data(Self.notes))
            #expect(content["Content-Disposition"]?.hasPrefix(#"attachment; filename="notes.txt""#) == true)
            #expect(content["X-Content-Type-Options"] == "nosniff")
            #expect(content["Content-Security-Policy"] == "default-src 'none'; sandbox")
            #expect(content["Cross-Origin-Resource-Policy"] == "same-site")
            // For the one who has asked, and nobody else: kept by no cache between, nor for another account.
            #expect(content["Cache-Control"] == "private, max-age=1800, immutable")
            #expect(content["Vary"]?.contains("Authorization, Cookie") == true)
            let again = try await ada.get(ParleyWire.Attachment.self, "/v1/attachments/\(id)")
            #expect(again.id == id)
        }
    }

    @Test func `again brings the same; other bytes under its id are refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let file = try await ada.upload(Self.notes)
            let path = "/v1/attachments/\(file.id)?kind=file"
            let again = try await ada.bring(.put, path, Self.notes)
            #expect(try again.decode(ParleyWire.Attachment.self, status: .ok).bytes == 12)
            try await ada.bring(.put, path, Array("Dear nobody.".utf8)).expect(.idConflict)
            try await ada.bring(.put, path, Array("Dear".utf8)).expect(.idConflict)
            try await bob.bring(.put, path, Self.notes).expect(.idConflict)
        }
    }

    @Test func `goes on where it was cut short`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
            let path = "/v1/attachments/\(WireID())"
            let first = try await ada.bring(
                .put,
                "\(path)?kind=file",
                headers: [.uploadComplete: "?0", .uploadLength: "300000"],
                Array(bytes[..<200_000])
            )
            #expect(first.status == .created && first["Upload-Complete"] == "?0")
            let offset = try #require(first["Upload-Offset"].flatMap { Int($0) })
            #expect(offset == 196_608)
            let head = try await ada.bring(.head, path)
            #expect(head.status == .noContent && head["Upload-Offset"] == "196608")
            #expect(head["Upload-Complete"] == "?0" && head["Upload-Length"] == "300000")
            let wrong = try await ada.bring(.patch, path, headers: [.uploadOffset: "5"], [1])
            #expect(wrong.status == .conflict && wrong["Upload-Offset"] == "196608")
            let rest: HTTPFields = [
                .uploadOffset: "\(offset)", .uploadComplete: "?1", .contentType: "application/partial-upload",
            ]
            let done = try await ada.bring(.patch, path, headers: rest, Array(bytes[offset...]))
            let file = try done.decode(ParleyWire.Attachment.self, status: .created)
            #expect(file.bytes == 300_000)
            #expect(try await server.bring(.get, file.url).body == Data(bytes))
            #expect(try await ada.bring(.head, path)["Upload-Complete"] == "?1")
            #expect(try await ada.bring(.patch, path, headers: rest, [1]).status == .conflict)
            // The same in one go is the same.
            #expect(try await ada.bring(.put, "\(path)?kind=file", bytes).status == .ok)
        }
    }

    @Test func `is refused where it is too large, empty, or says what is not so`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.limits.fileBytes = 1_000 }
        } _: { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())?kind=file"
            try await ada.bring(.put, path, Array(repeating: 1, count: 1_001)).expect(.payloadTooLarge)
            try await ada.bring(.put, path, []).expect(.validationFailed)
            let headers: HTTPFields = [.uploadLength: "7"]
            try await ada.bring(.put, path, headers: headers, [1]).expect(.malformedRequest)
            try await ada.bring(.put, path, headers: [.uploadComplete: "yes"], [1]).expect(.malformedRequest)
            let form: HTTPFields = [.contentType: "multipart/form-data; boundary=x"]
            try await ada.bring(.put, path, headers: form, [1]).expect(.unsupportedMediaType)
            try await ada.bring(.put, "/v1/attachments/1?kind=file", [1]).expect(.validationFailed)
            try await ada.bring(.put, "/v1/attachments/\(WireID())?kind=video", [1]).expect(.validationFailed)
            try await server.bring(.put, path, [1]).expect(.unauthenticated)
        }
    }

    @Test func `that says to be too large is refused before its bytes come`() async throws {
        try await TestServer.with {
            $0.setup = .live
        } _: { server in
            let ada = try await server.register("Ada")
            let limits = server.dependencies.attachments.limits
            for (kind, most) in [("image", limits.imageBytes), ("file", limits.fileBytes)] {
                try await RawConnection.with(port: server.client.port) { connection in
                    try await connection.say(
                        "PUT /v1/attachments/\(WireID())?kind=\(kind) HTTP/1.1\r\nHost: x\r\n"
                            + "Authorization: Bearer \(ada.session.accessToken)\r\nContent-Length: \(most + 1)\r\n\r\n"
                    )
                    #expect(await connection.read(until: "payloadTooLarge").hasPrefix("HTTP/1.1 413 "))
                }
            }
        }
    }

    @Test func `ends where somebody has as much as one may`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.limits.personBytes = 20 }
        } _: { server in
            let ada = try await server.register("Ada")
            _ = try await ada.upload(Self.notes)
            try await ada.bring(.put, "/v1/attachments/\(WireID())?kind=file", Self.notes).expect(.payloadTooLarge)
            let bob = try await server.register("Bob")
            _ = try await bob.upload(Self.notes)
        }
    }

    @Test func `ends where all have as much as the server may have, until something goes`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.limits.serverBytes = 20 }
        } _: { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let file = try await ada.upload(Self.notes)
            let path = "/v1/attachments/\(WireID())"
            try await bob.bring(.put, "\(path)?kind=file", Self.notes).expect(.insufficientStorage)
            // Nor piece by piece, where nobody says at first how much it will be.
            let pieces: HTTPFields = [.uploadComplete: "?0"]
            #expect(try await bob.bring(.put, "\(path)?kind=file", headers: pieces, Self.notes).status == .created)
            let rest: HTTPFields = [.uploadOffset: "0", .uploadComplete: "?1"]
            try await bob.bring(.patch, path, headers: rest, Self.notes).expect(.insufficientStorage)
            #expect(try await ada.bring(.delete, "/v1/attachments/\(file.id)").status == .noContent)
            try await server.collect()
            #expect(try await bob.bring(.put, "\(path)?kind=file", Self.notes).status == .created)
        }
    }

    @Test func `ends where somebody has begun as many as one may, until one of them is whole`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.limits.pendingUploads = 2 }
        } _: { server in
            let ada = try await server.register("Ada")
            let begun = (0..<2).map { _ in "/v1/attachments/\(WireID())?kind=file" }
            let pieces: HTTPFields = [.uploadComplete: "?0"]
            for path in begun { #expect(try await ada.bring(.put, path, headers: pieces, [1]).status == .created) }
            let third = "/v1/attachments/\(WireID())?kind=file"
            try await ada.bring(.put, third, Self.notes).expect(.validationFailed, parameter: "attachmentId")
            #expect(try await ada.bring(.put, begun[0], Self.notes).status == .created)
            #expect(try await ada.bring(.put, third, Self.notes).status == .created)
            let bob = try await server.register("Bob")
            _ = try await bob.upload(Self.notes)
        }
    }

    /// A request that has brought the notes, and may bring more.
    private func slowUpload(
        of id: WireID,
        by person: Person,
        on server: TestServer
    ) async throws -> (
        Task<UploadOutcome, any Error>, AsyncThrowingStream<ByteBuffer, any Error>.Continuation
    ) {
        let attachments = server.dependencies.attachments
        let (body, rest) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
        let slow = Task {
            try await attachments.put(UploadRequest(id: id.uuid, owner: person.id.uuid, kind: .file), body)
        }
        rest.yield(ByteBuffer(bytes: Self.notes))
        while try await person.bring(.head, "/v1/attachments/\(id)").status == .notFound { await Task.pause() }
        return (slow, rest)
    }

    @Test func `is overtaken where it is brought anew meanwhile and deleted, and no disk is to blame`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let id = WireID()
            let path = "/v1/attachments/\(id)"
            let (slow, rest) = try await slowUpload(of: id, by: ada, on: server)
            #expect(try await ada.bring(.put, "\(path)?kind=file", Self.notes).status == .created)
            #expect(try await ada.bring(.delete, path).status == .noContent)
            rest.yield(ByteBuffer(bytes: Self.notes))
            rest.finish()
            await #expect(throws: AttachmentError.overtaken) { try await slow.value }
        }
    }

    @Test func `is there for both where two requests bring the same at the same moment`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let id = WireID()
            let path = "/v1/attachments/\(id)"
            let (slow, rest) = try await slowUpload(of: id, by: ada, on: server)
            let quick = try await ada.bring(.put, "\(path)?kind=file", Self.notes)
            #expect(quick.status == .created)
            rest.finish()
            guard case .complete(let file, let isNew) = try await slow.value else {
                Issue.record("The upload is not complete.")
                return
            }
            #expect(file.id == id.uuid && !isNew)
            #expect(try await ada.bring(.get, "\(path)/content").body == Data(Self.notes))
        }
    }

    @Test func `is taken, or is to be tried again, however many bring the same at the same moment`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())?kind=file"
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<16 { group.addTask { try await ada.bring(.put, path, Self.notes) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers where answer.status.code >= 400 {
                #expect(try answer.problem().retryable)
            }
            #expect(try await ada.bring(.put, path, Self.notes).status.code < 300)
        }
    }

    @Test func `of unknown length ends there, too`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.limits.personBytes = 20 }
        } _: { server in
            let ada = try await server.register("Ada")
            let attachments = server.dependencies.attachments
            func put() async throws {
                let body = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                    continuation.yield(ByteBuffer(bytes: Self.notes))
                    continuation.finish()
                }
                _ = try await attachments.put(UploadRequest(id: UUID(), owner: ada.id.uuid, kind: .file), body)
            }
            try await put()
            await #expect(throws: AttachmentError.quota) { try await put() }
        }
    }

    @Test func `is refused before it comes where it would be too much, also when it goes on or begins anew`()
        async throws
    {
        try await TestServer.with {
            $0.attachments = {
                $0.limits.fileBytes = 300_000
                $0.limits.personBytes = 200_000
            }
        } _: { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())"
            let piece = Array(repeating: UInt8(7), count: 65_536)
            let begun = try await ada.bring(.put, "\(path)?kind=file", headers: [.uploadComplete: "?0"], piece)
            #expect(begun["Upload-Offset"] == "65536")
            for length in ["200001", "300001"] {
                let headers: HTTPFields = [.uploadOffset: "65536", .uploadComplete: "?0", .uploadLength: length]
                try await ada.bring(.patch, path, headers: headers, [1]).expect(.payloadTooLarge)
                let anew: HTTPFields = [.uploadComplete: "?0", .uploadLength: length]
                try await ada.bring(.put, "\(path)?kind=file", headers: anew, [1]).expect(.payloadTooLarge)
                #expect(try await ada.bring(.head, path)["Upload-Offset"] == "65536")
            }
            // As much as one may, and no byte of it counted twice.
            let anew: HTTPFields = [.uploadComplete: "?0", .uploadLength: "200000"]
            #expect(try await ada.bring(.put, "\(path)?kind=file", headers: anew, piece).status == .created)
            let rest: HTTPFields = [.uploadOffset: "65536", .uploadComplete: "?1"]
            let last = Array(repeating: UInt8(7), count: 200_000 - 65_536)
            #expect(try await ada.bring(.patch, path, headers: rest, last).status == .created)
        }
    }

    @Test func `tells audio by its bytes, with how long and how loud it is`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let query = "kind=audio&durationMs=1500&waveform=0,128,255"
            let note = try await ada.upload(Array("OggS".utf8) + [0, 2, 7], query, type: "audio/ogg")
            #expect(note.kind == .audio && note.contentType == "audio/ogg")
            #expect(note.durationMs == 1_500 && note.waveform == [0, 128, 255])
            let content = try await server.bring(.get, note.url)
            #expect(content["Content-Disposition"] == "inline" && content["Content-Type"] == "audio/ogg")
            let path = "/v1/attachments/\(WireID())?kind=audio"
            try await ada.bring(.put, path, headers: [.contentType: "audio/ogg"], Array("<html>".utf8))
                .expect(.unsupportedMediaType)
            try await ada.bring(.put, "\(path)&waveform=256", [1]).expect(.validationFailed, parameter: "waveform")
        }
    }

    @Test func `keeps nothing that a browser would run`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            for type in ["text/html", "image/svg+xml", "application/xhtml+xml", "text/javascript", "nonsense"] {
                let file = try await ada.upload(Array("<svg onload=alert(1)>".utf8), "kind=file", type: type)
                #expect(file.contentType == "application/octet-stream")
            }
        }
    }

    @Test func `is taken back while it is in no message`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let (mine, sent) = (try await ada.upload(Self.notes), try await ada.upload(Self.notes))
            #expect(try await bob.bring(.delete, "/v1/attachments/\(mine.id)").status == .notFound)
            #expect(try await ada.bring(.delete, "/v1/attachments/\(mine.id)").status == .noContent)
            #expect(try await server.bring(.get, mine.url).status == .notFound)
            let talk = try await ada.talk(to: bob)
            #expect(try await ada.send([sent], in: talk.id).status == .created)
            try await ada.bring(.delete, "/v1/attachments/\(sent.id)").expect(.forbidden)
        }
    }

    /// By chance: a request has to look between the beginning of another and its own second look.
    @Test func `the same bytes at once under one id are told to nobody as other ones`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            for _ in 0..<20 {
                let path = "/v1/attachments/\(WireID())?kind=file"
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for _ in 0..<4 { group.addTask { try await ada.bring(.put, path, Self.notes) } }
                    return try await group.reduce(into: [Answer]()) { $0.append($1) }
                }
                #expect(answers.allSatisfy { !$0.text.contains("other bytes") })
                #expect(answers.contains { $0.status == .created })
                #expect(try await ada.bring(.put, path, Self.notes).status == .ok)
            }
        }
    }

    @Test func `many times at once under one id ends with one of them, whole`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())"
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let bytes = Array(repeating: UInt8(number % 2), count: 150_000)
                        return try await ada.bring(.put, "\(path)?kind=file", bytes)
                    }
                }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            #expect(answers.allSatisfy { [200, 201, 409, 503].contains($0.status.code) })
            #expect(answers.contains { $0.status == .created })
            let content = try await ada.bring(.get, "\(path)/content").body
            #expect(content.count == 150_000 && Set(content).count == 1)
            #expect(try await server.blobs() == 1)
        }
    }

    @Test(arguments: [
        "%01%0D%0ASet-Cookie%3A%20a%3Db.txt", "..%5C..%5Ca.txt", "%E2%80%AEtxt.exe", "%22%3B%20filename%3Dx.html",
    ])
    func `has a name that says nothing more in a header than a name`(name: String) async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let file = try await ada.upload(Self.notes, "kind=file&name=\(name)")
            let content = try await server.bring(.get, file.url)
            #expect(content["Set-Cookie"] == nil)
            let disposition = try #require(content["Content-Disposition"])
            let hidden = ["\r", "\n", "\u{0}", "\\", "/", "\u{202E}", "%0D", "%0A", "%2F", "%5C", "%E2%80%AE"]
            #expect(disposition.hasPrefix("attachment; filename=\"") && !hidden.contains { disposition.contains($0) })
            #expect(disposition.components(separatedBy: "\"").count == 3)
        }
    }
}
