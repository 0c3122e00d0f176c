import CoreMetrics
import Foundation
import Logging
import Synchronization

/// Has pictures made by helper processes, one for each picture and only so many at once.
final class ImageHelpers: ImageProcessing {
    private static let mostWaiting = 64

    private let program: String
    private let queue: ImageQueue
    /// nil when no more pictures come.
    private let ready = Mutex<[ImageHelper]?>([])
    private let width: Int
    private let deadline: Duration
    private let logger: Logger

    init(program: String, width: Int, deadline: Duration = ImageHelper.deadline, logger: Logger) {
        self.program = program
        self.width = width
        self.deadline = deadline
        self.logger = logger
        queue = ImageQueue(width: width, mostWaiting: Self.mostWaiting)
    }

    /// Has as many ready as may be wanted at once.
    func prepare() async {
        try? await Disk.run { [self] in
            while lacksHelpers {
                let helper = try ImageHelper.start(program)
                ready.withLock { helpers in
                    // Where another call has filled them up meanwhile, this one ends again.
                    if let count = helpers?.count, count < width { helpers?.append(helper) }
                }
            }
        }
    }

    private var lacksHelpers: Bool {
        ready.withLock { helpers in helpers.map { $0.count < width } ?? false }
    }

    func close() {
        ready.withLock { $0 = nil }
    }

    func process(_ read: @Sendable () async throws -> Data) async throws -> ProcessedImage {
        AttachmentMetrics.imagesWaiting.record(queue.waiting + 1)
        return try await queue.pass {
            let image = try await read()
            let start = ContinuousClock.now
            do {
                let made = try await Self.onOwnThread { [self] in try make(of: image) }
                let (seconds, attoseconds) = (ContinuousClock.now - start).components
                AttachmentMetrics.imageDuration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
                Task.detached { [self] in await prepare() }
                return made
            } catch let error as AttachmentError {
                if error == .unreadableImage { AttachmentMetrics.imagesRefused.increment() }
                throw error
            } catch {
                logger.error("The image helper cannot be started", metadata: ["program": "\(program)"])
                throw AttachmentError.unavailable
            }
        }
    }

    /// A helper stands as far back from sends as can be. Where that is not enough in a quarter of the time, mostly as others have
    /// the processors, another takes the picture over, which stands back less: else a busy server would refuse sound pictures.
    private func make(of image: Data) throws -> ProcessedImage {
        let start = ContinuousClock.now
        do {
            return try take().process(image, until: start + deadline / 4)
        } catch is ImageHelper.OutOfTime {
            AttachmentMetrics.imagesHurried.increment()
        }
        let helper = try ImageHelper.start(program, niceness: ImageHelper.hurriedNiceness)
        do {
            return try helper.process(image, until: start + deadline)
        } catch is ImageHelper.OutOfTime {
            throw helper.broken()
        }
    }

    /// Each picture that the queue lets through has a thread beside its process. One of those that read files must not wait for
    /// a helper: see decision 0100.
    private static func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                let result = Result { try body() }
                continuation.resume(with: result)
            }
            thread.name = "picture"
            thread.start()
        }
    }

    private func take() throws -> ImageHelper {
        // The oldest, which has had the most time to get ready. One that was killed while it waited says nothing against the
        // picture.
        while let helper = ready.withLock({ $0?.isEmpty == false ? $0?.removeFirst() : nil }) {
            if !helper.hasEnded { return helper }
        }
        return try ImageHelper.start(program)
    }

    /// Those that wait for a picture.
    var idle: [pid_t] { ready.withLock { ($0 ?? []).map(\.pid) } }

    func trouble() async -> String? {
        FileManager.default.isExecutableFile(atPath: program) ? nil : "the image helper is not there: \(program)"
    }
}
