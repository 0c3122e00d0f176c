import Foundation
import Glibc
import TestSupport
import Testing

@testable import Attachments

/// What a helper that waits for its picture has left, as the kernel tells it: whoever breaks a decoder has no more.
@Suite(.timeLimit(.minutes(5))) struct `The rights of the helper that makes pictures` {
    /// Until it has said that it is there, and confined.
    private static func wait(for helper: ImageHelper) throws {
        var said = pollfd(fd: helper.socket, events: Int16(POLLIN), revents: 0)
        let count = poll(&said, 1, 60_000)
        try #require(count == 1)
    }

    private static func text(_ process: String, _ file: String) throws -> String {
        try String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)
    }

    private static func status(_ process: String) throws -> [String: String] {
        let lines = try text(process, "status").split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
        return lines.reduce(into: [:]) { fields, line in
            fields[String(line[0])] = line.last?.trimmingCharacters(in: .whitespaces)
        }
    }

    private static func niceness(_ process: String) throws -> Int {
        let line = try text(process, "stat")
        // The name, in parentheses, may hold anything. The first field behind it is the third of all, this the nineteenth.
        let fields = Array(line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ").dropFirst())
        try #require(fields.count > 16)
        return try #require(Int(fields[16]))
    }

    @Test func `are gone before it reads a byte`() throws {
        let helper = try ImageHelper.start(try BuiltProgram.path("parley-image"))
        try Self.wait(for: helper)
        let process = "\(helper.pid)"
        let (own, left) = (try Self.status("self"), try Self.status(process))
        #expect(left["NoNewPrivs"] == "1" && left["Seccomp"] == "2")
        // A container's filter holds for the tests as well: the helper has one more.
        if let outer = own["Seccomp_filters"].flatMap({ Int($0) }) {
            #expect(left["Seccomp_filters"] == "\(outer + 1)")
        }
        let limits = try Self.text(process, "limits").split(separator: "\n")
        for (name, soft, hard) in [
            ("Max address space", 1_536 << 20, 1_536 << 20), ("Max cpu time", 10, 11), ("Max file size", 0, 0),
            ("Max core file size", 0, 0), ("Max processes", 0, 0), ("Max open files", 0, 0),
        ] {
            let line = try #require(limits.first { $0.hasPrefix(name) })
            let numbers = line.dropFirst(name.count).split(separator: " ").prefix(2).map { String($0) }
            #expect(numbers == ["\(soft)", "\(hard)"], "\(name)")
        }
        // With what it has left it makes pictures.
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let image = try Data(contentsOf: tests.appendingPathComponent("Images/plain.jpg"))
        let made = try helper.process(image, until: ContinuousClock.now + ImageHelper.deadline)
        #expect(made.width > 0)
    }

    @Test(arguments: [(nil, 19), (ImageHelper.hurriedNiceness, 10)])
    func `stand back as far as they are started to`(niceness: Int?, expected: Int) throws {
        let helper = try ImageHelper.start(try BuiltProgram.path("parley-image"), niceness: niceness)
        try Self.wait(for: helper)
        let actual = try Self.niceness("\(helper.pid)")
        #expect(actual == expected)
    }

    /// Where the tests may look: a container's root may not, and nobody else may look into what makes no core.
    @Test func `end at its one socket`() throws {
        let helper = try ImageHelper.start(try BuiltProgram.path("parley-image"))
        try Self.wait(for: helper)
        let directory = "/proc/\(helper.pid)/fd"
        let open = try? FileManager.default.contentsOfDirectory(atPath: directory)
        if let open {
            #expect(open.sorted() == ["0", "1", "2"])
            let targets = try ["0", "1", "2"].map {
                try FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")
            }
            #expect(targets[0].hasPrefix("socket:") && targets[1] == targets[0] && targets[2] == "/dev/null")
        }
        #expect(!helper.hasEnded)
    }

    @Test func `begin without the server's files and settings`() async throws {
        let file = open("/dev/null", O_RDONLY)
        // A copy has no close-on-exec.
        let leaked = fcntl(file, F_DUPFD, 200)
        defer {
            close(leaked)
            close(file)
        }
        try #require(leaked >= 200)
        let script = """
            ls /proc/self/fd >"$0.files"
            cat /proc/$$/environ >"$0.settings"
            printf PIM1
            head -c 600 >/dev/null
            """
        try await HelperScript.with(script) { path in
            let helper = try ImageHelper.start(path)
            try Self.wait(for: helper)
            let files = try String(contentsOfFile: "\(path).files", encoding: .utf8).components(separatedBy: "\n")
            let isClean = ["0", "1", "2"].allSatisfy { files.contains($0) } && !files.contains("\(leaked)")
            #expect(isClean, "\(files)")
            let settings = try Data(contentsOf: URL(fileURLWithPath: "\(path).settings"))
            #expect(settings.isEmpty)
            #expect(!helper.hasEnded)
        }
    }
}
