import API
import Attachments
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@Suite(.database, .timeLimit(.minutes(5))) struct `An image` {
    @Test(arguments: 1...8) func `is turned upright, and tells nothing but what is to be seen`(
        orientation: Int
    ) async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let bytes = try SampleImage.bytes("turned-\(orientation).jpg")
            #expect(Data(bytes).range(of: Data("SecretCamera".utf8)) != nil)
            let image = try await ada.upload(bytes, "kind=image", type: "image/jpeg")
            #expect(image.width == 60 && image.height == 40 && image.contentType == "image/jpeg")
            for url in [image.url, try #require(image.thumbnailURL)] {
                let content = try await server.bring(.get, url)
                #expect(content["Content-Type"] == "image/jpeg" && content["Content-Disposition"] == "inline")
                for secret in ["SecretCamera", "secret comment", "Exif"] {
                    #expect(content.body.range(of: Data(secret.utf8)) == nil)
                }
            }
        }
    }

    @Test(arguments: [
        ("bomb.png", ProblemCode.validationFailed), ("profile-bomb.png", .validationFailed),
        ("scans.jpg", .validationFailed), ("animated.gif", .unsupportedMediaType),
    ]) func `that is made to do harm, or of no known format, is refused`(name: String, code: ProblemCode) async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())?kind=image"
            try await ada.bring(.put, path, try SampleImage.bytes(name)).expect(code)
            // The id is free again.
            #expect(try await ada.bring(.put, path, try SampleImage.bytes("plain.png")).status == .created)
        }
    }

    @Test func `is what its bytes are, whatever it is called`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            for text in ["<svg xmlns='http://www.w3.org/2000/svg'/>", "GIF89a", "%PDF-1.4", "II*\u{0}", "BM"] {
                let path = "/v1/attachments/\(WireID())?kind=image&name=a.png"
                try await ada.bring(.put, path, headers: [.contentType: "image/png"], Array(text.utf8))
                    .expect(.unsupportedMediaType)
            }
            // Pictures that are pages, too; behind their end everything may follow.
            let page = Array("<script>alert(1)</script>".utf8)
            for bytes in [
                try SampleImage.bytes("polyglot.jpg"), try SampleImage.bytes("plain.jpg") + page,
                try SampleImage.bytes("plain.png") + page,
            ] {
                let polyglot = try await ada.upload(bytes, "kind=image")
                let content = try await server.bring(.get, polyglot.url)
                #expect(content.body.range(of: Data("<script>".utf8)) == nil)
                // As a file it is what it was, and never shown as a page.
                let file = try await ada.upload(bytes, "kind=file&name=a.html", type: "text/html")
                let kept = try await server.bring(.get, file.url)
                #expect(kept.body == Data(bytes) && kept["Content-Type"]?.hasPrefix("image/") == true)
                #expect(kept["Content-Disposition"]?.hasPrefix("attachment") == true)
                #expect(kept["X-Content-Type-Options"] == "nosniff")
            }
        }
    }

    @Test func `that is cut short is refused, and so is nothing else`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.imagesAtOnce = 2 }
        } _: { server in
            let ada = try await server.register("Ada")
            let bytes = try SampleImage.bytes("plain.jpg")
            for length in stride(from: 20, to: bytes.count - 2, by: 150) {
                let path = "/v1/attachments/\(WireID())?kind=image"
                #expect(try await ada.bring(.put, path, Array(bytes[..<length])).status == .unprocessableContent)
            }
            _ = try await ada.upload(bytes, "kind=image")
        }
    }

    @Test func `without a helper waits for one`() async throws {
        try await TestServer.with {
            $0.attachments = { $0.imageHelper = "/nowhere" }
        } _: { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())?kind=image"
            try await ada.bring(.put, path, try SampleImage.bytes("plain.jpg")).expect(.unavailable)
        }
    }

    @Test func `stays as a photo that the read models do not show yet`() async throws {
        try await TestServer.with {
            $0.isProjecting = false
        } _: { server in
            let ada = try await server.register()
            let photo = try await ada.upload(try SampleImage.bytes("plain.jpg"), "kind=image")
            _ = try await ada.send(.patch, "/v1/me", body: .object(["photoURL": .string("\(photo.id)")]))
            try await server.collect(at: Date().addingTimeInterval(7_200), isShown: false)
            #expect(try await server.blobs() == 2)
        }
    }

    @Test func `becomes the photo of a person and the icon of a group`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let mallory = try await server.register("Mallory")
            let first = try await ada.upload(try SampleImage.bytes("plain.jpg"), "kind=image")
            let second = try await ada.upload(try SampleImage.bytes("plain.png"), "kind=image")
            let set = try await ada.send(.patch, "/v1/me", body: .object(["photoURL": .string("\(first.id)")]))
            let photo = try #require(try set.decode(Me.self).photoURL)
            #expect(photo == "/v1/attachments/\(first.id)/content")
            #expect(try await mallory.bring(.get, photo).status == .ok)
            #expect(try await mallory.bring(.get, "\(photo)?size=thumbnail").status == .ok)
            #expect(try await mallory.get(User.self, "/v1/users/\(ada.id)").photoURL == photo)
            // Replaced ones go.
            _ = try await ada.send(.patch, "/v1/me", body: .object(["photoURL": .string(second.url)]))
            #expect(try await mallory.bring(.get, photo).status == .notFound)
            try await server.collect()
            #expect(try await server.blobs() == 2)
            // Somebody else's, and what is no image, is refused.
            let notes = try await ada.upload([1, 2, 3])
            for wrong in ["\(second.id)", "\(notes.id)"] {
                try await bob.send(.patch, "/v1/me", body: .object(["photoURL": .string(wrong)]))
                    .expect(.validationFailed, pointer: "/photoURL")
            }
            try await ada.send(.patch, "/v1/me", body: .object(["photoURL": .string("https://evil.example/a.png")]))
                .expect(.validationFailed, pointer: "/photoURL")

            let icon = try await ada.upload(try SampleImage.bytes("alpha.png"), "kind=image")
            let group = try await ada.startGroup(with: [bob, eve])
            let change: JSONValue = .object(["groupIcon": .string("\(icon.id)")])
            try await bob.send(.patch, "/v1/conversations/\(group.id)", body: change).expect(.forbidden)
            let changed = try await ada.send(.patch, "/v1/conversations/\(group.id)", body: change)
            let path = try #require(try changed.decode(Conversation.self).groupIcon)
            #expect(try await bob.bring(.get, path).status == .ok)
            #expect(try await mallory.bring(.get, path).status == .notFound)
            _ = try await ada.send(.patch, "/v1/conversations/\(group.id)", body: .object(["groupIcon": .null]))
            #expect(try await bob.bring(.get, path).status == .notFound)
        }
    }

    @Test func `stays where it is claimed while another becomes the photo or icon`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            for (subject, isGroup) in [(ada.id, false), (group.id, true)] {
                let path = isGroup ? "/v1/conversations/\(group.id)" : "/v1/me"
                let field = isGroup ? "groupIcon" : "photoURL"
                let first = try await ada.upload(try SampleImage.bytes("plain.jpg"), "kind=image")
                let second = try await ada.upload(try SampleImage.bytes("plain.png"), "kind=image")
                // Another request has come as far as that.
                let isClaimed = try await server.dependencies.attachments.claimPicture(
                    second.id.uuid,
                    of: ada.id.uuid,
                    for: subject.uuid,
                    isGroup: isGroup
                )
                #expect(isClaimed)
                for (picture, blobs) in [(first, 4), (second, 2)] {
                    let set = try await ada.send(.patch, path, body: .object([field: .string("\(picture.id)")]))
                    #expect(set.status == .ok)
                    try await server.collect()
                    #expect(try await server.blobs() == blobs + (isGroup ? 2 : 0))
                }
                #expect(try await ada.bring(.get, "/v1/attachments/\(second.id)/content").status == .ok)
            }
        }
    }

    @Test func `is read in parts, and not again where it is known`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let file = try await ada.upload(bytes)
            let url = file.url
            for (range, status, part) in [
                ("bytes=0-1", HTTPResponse.Status.partialContent, 0..<2),
                ("bytes=65530-65545", .partialContent, 65_530..<65_546),
                ("bytes=-10", .partialContent, 199_990..<200_000),
                ("bytes=131072-", .partialContent, 131_072..<200_000), ("bytes=0-1,4-5", .ok, 0..<200_000),
                ("bytes=5-4", .ok, 0..<200_000), ("pages=1-2", .ok, 0..<200_000),
            ] {
                let answer = try await server.bring(.get, url, headers: [.range: range])
                #expect(answer.status == status && answer.body == Data(bytes[part]), "\(range)")
            }
            let beyond = try await server.bring(.get, url, headers: [.range: "bytes=200000-"])
            try beyond.expect(.rangeNotSatisfiable)
            #expect(beyond["Content-Range"] == "bytes */200000" && beyond["ETag"] == nil)
            let tag = try #require(try await server.bring(.get, url)["ETag"])
            #expect(try await server.bring(.get, url, headers: [.ifNoneMatch: tag]).status == .notModified)
            let head = try await server.bring(.head, url)
            #expect(head.status == .ok && head.body.isEmpty && head["Content-Length"] == "200000")
        }
    }
}
