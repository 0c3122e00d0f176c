import Foundation
import Glibc
import TestSupport
import Testing

@testable import Attachments

/// What is left of a picture, and of all others, when the process that makes it ends at any moment.
@Suite(.timeLimit(.minutes(5))) struct `The helper that makes pictures` {
    private static let image: Data = {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return (try? Data(contentsOf: tests.appendingPathComponent("Images/plain.jpg"))) ?? Data()
    }()

    private static func with(_ program: String, _ body: (ImageHelpers) async throws -> Void) async throws {
        let helpers = ImageHelpers(program: program, width: 2, logger: SecretWatch.logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(helpers))
        } catch {
            result = .failure(error)
        }
        await helpers.close()
        try result.get()
    }

    @Test func `is not used where it was killed while it waited`() async throws {
        try await Self.with(try BuiltProgram.path("parley-image")) { helpers in
            await helpers.prepare()
            let idle = helpers.idle
            #expect(idle.count == 2)
            for pid in idle {
                kill(pid, SIGKILL)
                var info = siginfo_t()
                #expect(waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == 0)
            }
            let made = try await helpers.process { Self.image }
            #expect(made.contentType == "image/jpeg" && made.width > 0)
        }
    }

    /// Of an answer: that it follows, of which formats, with six letters of a hash, 8 by 8 pixels, and 64 bytes each.
    private static let beginning = #"\0\1\1\6\0\0\0\10\0\0\0\10\0\0\0\100\0\0\0\100abcdef"#

    /// As scripts: what it says and hears before it is killed.
    @Test(arguments: [
        ("kill -9 $$", AttachmentError.unavailable),
        ("printf PI; kill -9 $$", .unavailable),
        ("printf PIM1; kill -9 $$", .unreadableImage),
        ("printf PIM1; head -c 6 >/dev/null; kill -9 $$", .unreadableImage),
        ("printf PIM1; head -c 600 >/dev/null; kill -9 $$", .unreadableImage),
        ("printf PIM1; head -c 600 >/dev/null; printf '\\0\\1'; kill -9 $$", .unreadableImage),
        ("printf PIM1; head -c 600 >/dev/null; printf '\(beginning)'; kill -9 $$", .unreadableImage),
        ("printf PIM1; head -c 600 >/dev/null; exit 0", .unreadableImage),
    ])
    func `that ends refuses its picture, and nothing else`(script: String, error: AttachmentError) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("helper-\(UUID()).sh").path
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await Self.with(path) { helpers in
            for _ in 0..<3 {
                await #expect(throws: error) { try await helpers.process { Self.image } }
            }
            // The next one finds a place, and a helper of its own.
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: try BuiltProgram.path("parley-image")
            )
            var made: ProcessedImage?
            // Those that were started before it was put in place end, too.
            for _ in 0..<4 where made == nil { made = try? await helpers.process { Self.image } }
            #expect(made?.contentType == "image/jpeg")
        }
    }
}
