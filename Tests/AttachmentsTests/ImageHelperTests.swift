import Foundation
import Glibc
import TestSupport
import Testing

@testable import Attachments

/// What is left of a picture, and of all others, when the process that makes it ends at any moment.
@Suite(.timeLimit(.minutes(5))) struct `The helper that makes pictures` {
    private static let image = (try? bytes("plain.jpg")) ?? Data()

    private static func bytes(_ name: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try Data(contentsOf: tests.appendingPathComponent("Images/\(name)"))
    }

    private static func with(
        _ program: String,
        deadline: Duration = ImageHelper.deadline,
        _ body: (ImageHelpers) async throws -> Void
    ) async throws {
        let helpers = ImageHelpers(program: program, width: 2, deadline: deadline, logger: SecretWatch.logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(helpers))
        } catch {
            result = .failure(error)
        }
        helpers.close()
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
        try await HelperScript.with(script) { path in
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

    /// As scripts that end after a minute: nothing is said, nothing is answered, or a byte of a picture every half second.
    @Test(arguments: [
        "exec sleep 60", "printf PIM1; exec sleep 60", "printf PIM1; head -c 600 >/dev/null; exec sleep 60",
        """
        printf PIM1; head -c 600 >/dev/null; printf '\(beginning)'
        for ten in 1 2 3 4 5 6; do for half in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            printf a; sleep 0.5
        done; done
        """,
    ])
    func `is ended where it takes too long in all`(script: String) async throws {
        try await HelperScript.with("echo $$ >\"$0.pid\"\n\(script)") { path in
            try await Self.with(path, deadline: .seconds(3)) { helpers in
                let start = ContinuousClock.now
                await #expect(throws: AttachmentError.unreadableImage) { try await helpers.process { Self.image } }
                #expect(ContinuousClock.now - start < .seconds(45))
                let text = try String(contentsOfFile: "\(path).pid", encoding: .utf8)
                let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
                let isGone = kill(pid, 0) == -1 && errno == ESRCH
                #expect(isGone)
            }
        }
    }

    /// As a script: the first one never gets to its picture, as if others had the processors.
    @Test func `hands its picture over to one that stands back less where it gets no processor`() async throws {
        let program = try BuiltProgram.path("parley-image")
        let script = """
            echo "${1:-none}" >>"$0.niceness"
            [ -n "${1:-}" ] || { printf PIM1; exec sleep 60; }
            exec '\(program)' "$1"
            """
        try await HelperScript.with(script) { path in
            try await Self.with(path, deadline: .seconds(12)) { helpers in
                let made = try await helpers.process { Self.image }
                #expect(made.contentType == "image/jpeg")
                let started = try String(contentsOfFile: "\(path).niceness", encoding: .utf8)
                #expect(started.hasPrefix("none\n10\n"))
            }
        }
    }

    /// A JPEG is refused where its last byte is missing already: libjpeg warns of bytes that end before the mark of the end.
    /// So is a WebP, whose head says how long it is. Of a PNG libspng reads as far as its pixels are packed: what may be
    /// missing is their check sum and the end, and then the picture is the same; one that is to be turned stays unturned, as
    /// libspng gives nothing beside the pixels then.
    @Test(arguments: ["turned-6.jpg", "progressive.jpg", "plain.png", "plain.webp", "alpha.webp"])
    func `says of a picture that is cut anywhere that it is none, and makes the next`(name: String) async throws {
        let whole = try Self.bytes(name)
        let least = name.hasSuffix(".png") ? try Self.endOfPixels(whole) : whole.count
        try await Self.with(try BuiltProgram.path("parley-image")) { helpers in
            let all = try await helpers.process { whole }
            for count in 1..<whole.count {
                do {
                    let made = try await helpers.process { whole.prefix(count) }
                    #expect(count >= least && made.full == all.full, "\(count) of \(whole.count)")
                } catch let error as AttachmentError {
                    let isRefused = error == .unreadableImage || error == .unsupportedFormat
                    #expect(isRefused, "\(count) of \(whole.count)")
                }
            }
            let made = try await helpers.process { whole }
            #expect(made.full == all.full)
        }
    }

    /// Where the one chunk of pixels that a small PNG has ends, before its check sum.
    private static func endOfPixels(_ file: Data) throws -> Int {
        let name = try #require(file.range(of: Data("IDAT".utf8)))
        let length = file[(name.lowerBound - 4)..<name.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        return name.upperBound + length
    }

    /// The more ways there are, the more libwebp sorts, for which the C library wants to know how much memory there is.
    @Test func `makes a picture that is clear in many ways with the rights that it has`() async throws {
        let veiled = try Self.bytes("veiled.png")
        try await Self.with(try BuiltProgram.path("parley-image")) { helpers in
            let made = try await helpers.process { veiled }
            #expect(made.contentType == "image/png" && made.thumbnailType == "image/webp")
        }
    }

    @Test func `makes the first of however many pictures, and none of one beyond all sizes`() async throws {
        let file = [UInt8](try Self.bytes("animated.webp"))
        try #require(file.count > 30 && file[12..<16].elementsEqual("VP8X".utf8))
        try await Self.with(try BuiltProgram.path("parley-image")) { helpers in
            let one = try await helpers.process { Data(file) }
            let many = Self.repeated(file, 4_000)
            #expect(many.count > 1_000_000)
            let made = try await helpers.process { many }
            #expect(made.width == one.width && made.height == one.height && made.full == one.full)
            // The canvas as 16,384 by 16,384.
            let wide = Self.widened(file)
            await #expect(throws: AttachmentError.unreadableImage) { try await helpers.process { wide } }
        }
    }

    /// An animation that has all its pictures again and again.
    private static func repeated(_ file: [UInt8], _ times: Int) -> Data {
        var (head, frames): ([UInt8], [UInt8]) = ([], [])
        var place = 12
        while place + 8 <= file.count {
            let size = (0..<4).reduce(0) { $0 | Int(file[place + 4 + $1]) << (8 * $1) }
            let end = min(file.count, place + 8 + size + size % 2)
            let chunk = file[place..<end]
            if chunk.starts(with: "ANMF".utf8) { frames += chunk } else { head += chunk }
            place = end
        }
        var all = Data("WEBP".utf8)
        all.append(contentsOf: head)
        for _ in 0..<times { all.append(contentsOf: frames) }
        var bytes = Data("RIFF".utf8)
        withUnsafeBytes(of: UInt32(all.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(all)
        return bytes
    }

    private static func widened(_ file: [UInt8]) -> Data {
        var wide = Data(file)
        wide.replaceSubrange(24..<30, with: [0xff, 0x3f, 0, 0xff, 0x3f, 0])
        return wide
    }
}
