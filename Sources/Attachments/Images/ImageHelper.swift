import CoreMetrics
import Foundation
import Glibc
import Messaging
import Postgres

/// One run of `parley-image`: it waits for one picture, makes another of it, and ends. It is started before it is needed, and
/// has no way to anything but this one socket.
final class ImageHelper: Sendable {
    /// In all, from the first byte to the last.
    static let deadline: Duration = .seconds(20)
    /// How far one stands back that has had its time at nice 19 and was not done: see decision 0073.
    static let hurriedNiceness = 10
    private static let mark: [UInt8] = Array("PIM1".utf8)
    private static let mostAnswer = 8 << 20

    let pid: pid_t
    let socket: Int32

    private init(pid: pid_t, socket: Int32) {
        self.pid = pid
        self.socket = socket
    }

    deinit {
        // Whatever it does then is of no use to anybody; one that waits ends with its socket.
        close(socket)
        kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    }

    /// Whether it has ended, for whatever reason. It stays to be waited for: until then nobody else has its number.
    var hasEnded: Bool {
        var info = siginfo_t()
        info.si_signo = 0
        guard waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
        return info.si_signo != 0
    }

    /// - Parameter niceness: how far it stands back; nil for as far as it does by itself.
    static func start(_ program: String, niceness: Int? = nil) throws -> ImageHelper {
        var sockets: [Int32] = [-1, -1]
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        _ = try Disk.check(Int(socketpair(AF_UNIX, flags, 0, &sockets)))
        defer { close(sockets[1]) }
        do {
            let pid = try spawn(program, niceness, sockets[1])
            _ = fcntl(sockets[0], F_SETFL, fcntl(sockets[0], F_GETFL) | O_NONBLOCK)
            return ImageHelper(pid: pid, socket: sockets[0])
        } catch {
            close(sockets[0])
            throw error
        }
    }

    /// With nothing of this program: no environment, no files, no signals that are handled or blocked.
    private static func spawn(_ program: String, _ niceness: Int?, _ socket: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, 0)
        posix_spawn_file_actions_adddup2(&actions, socket, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // What some library opened without close-on-exec.
        for descriptor in FileDescriptor.inheritable where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // It leaves the server's group by itself, for a session of its own, which who leads a group could not.
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var pid: pid_t = 0
        let words = [program] + (niceness.map { ["\($0)"] } ?? [])
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { arguments.forEach { free($0) } }
        let result = posix_spawn(&pid, program, &actions, &attributes, &arguments, &environment)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
        return pid
    }

    // MARK: Exchange

    /// Blocks until the helper has answered, has ended, or is out of time.
    ///
    /// - Throws: ``AttachmentError``: `unsupportedFormat`, `unreadableImage`, `unavailable`; ``OutOfTime``.
    func process(_ image: Data, until end: ContinuousClock.Instant) throws -> ProcessedImage {
        // It says that it is there, and has given its rights up.
        guard try receive(4, until: end, orElse: { .unavailable }).elementsEqual(Self.mark) else {
            throw AttachmentError.unavailable
        }
        var request = Data(Self.mark)
        withUnsafeBytes(of: UInt32(image.count).bigEndian) { request.append(contentsOf: $0) }
        request.append(image)
        try send(request, until: end)
        var reader = AnswerReader(rest: try receive(20, until: end))
        switch reader.byte() {
        case 0: break
        case 1: throw AttachmentError.unsupportedFormat
        default: throw AttachmentError.unreadableImage
        }
        let (fullType, thumbnailType) = (reader.byte(), reader.byte())
        let hashLength = Int(reader.byte())
        let (width, height) = (Int(reader.number()), Int(reader.number()))
        let (fullLength, thumbnailLength) = (Int(reader.number()), Int(reader.number()))
        guard let type = Self.type(fullType), let smallType = Self.type(thumbnailType),
            (1...1_920).contains(width), (1...1_920).contains(height), (6...40).contains(hashLength),
            (16...Self.mostAnswer).contains(fullLength), (16...Self.mostAnswer).contains(thumbnailLength)
        else { throw broken() }
        let hash = try receive(hashLength, until: end)
        let full = try receive(fullLength, until: end)
        let thumbnail = try receive(thumbnailLength, until: end)
        let text = String(decoding: hash, as: UTF8.self)
        // What decodes hostile bytes is not trusted with more than pictures.
        guard FileFormat.type(of: full, as: .image, said: nil) == type,
            FileFormat.type(of: thumbnail, as: .image, said: nil) == smallType,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { throw broken() }
        return ProcessedImage(
            contentType: type,
            width: width,
            height: height,
            full: full,
            thumbnailType: smallType,
            thumbnail: thumbnail,
            blurhash: text
        )
    }

    private static func type(_ number: UInt8) -> String? {
        switch number {
        case 1: "image/jpeg"
        case 2: "image/png"
        case 3: "image/webp"
        default: nil
        }
    }

    /// It was not done in its time, which says nothing of the picture where others had the processors.
    struct OutOfTime: Error {}

    /// It ended in another way than it should, which is counted.
    func broken() -> AttachmentError {
        AttachmentMetrics.helpersKilled.increment()
        return .unreadableImage
    }

    private func send(_ data: Data, until end: ContinuousClock.Instant) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                try wait(for: Int16(POLLOUT), until: end)
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let sent = Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                if sent < 0, errno == EAGAIN || errno == EINTR { continue }
                // It may have said why before it ended.
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }

    private func receive(
        _ count: Int,
        until end: ContinuousClock.Instant,
        orElse problem: (() -> AttachmentError)? = nil
    ) throws -> Data {
        var data = Data(count: count)
        try data.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            var done = 0
            while done < bytes.count {
                try wait(for: Int16(POLLIN), until: end)
                let room = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                let read = recv(socket, room.baseAddress, room.count, 0)
                if read < 0, errno == EAGAIN || errno == EINTR { continue }
                guard read > 0 else { throw problem?() ?? broken() }
                done += read
            }
        }
        return data
    }

    private func wait(for event: Int16, until end: ContinuousClock.Instant) throws {
        let left = (end - ContinuousClock.now).components
        let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { throw OutOfTime() }
        var descriptor = pollfd(fd: socket, events: event, revents: 0)
        let ready = poll(&descriptor, 1, Int32(clamping: milliseconds))
        guard ready > 0 || ready < 0 && errno == EINTR else { throw ready == 0 ? OutOfTime() : broken() }
    }
}

private struct AnswerReader {
    var rest: Data

    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 255
    }

    mutating func number() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }
}
