import CoreMetrics
import Foundation
import Logging
import NIOPosix
import Synchronization

/// Has pictures made by helper processes, one for each picture and only so many at once.
final class ImageHelpers: ImageProcessing {
    private static let mostWaiting = 64

    private let program: String
    private let queue: ImageQueue
    private let threads: NIOThreadPool
    private let ready = Mutex<[ImageHelper]>([])
    private let width: Int
    private let deadline: Duration
    private let logger: Logger

    init(program: String, width: Int, deadline: Duration = ImageHelper.deadline, logger: Logger) {
        self.program = program
        self.width = width
        self.deadline = deadline
        self.logger = logger
        queue = ImageQueue(width: width, mostWaiting: Self.mostWaiting)
        threads = NIOThreadPool(numberOfThreads: width)
        threads.start()
    }

    /// Has as many ready as may be wanted at once.
    func prepare() async {
        try? await threads.runIfActive { [self] in
            while ready.withLock({ $0.count }) < width {
                let helper = try ImageHelper.start(program)
                ready.withLock { $0.append(helper) }
            }
        }
    }

    func close() async {
        ready.withLock { $0 = [] }
        try? await threads.shutdownGracefully()
    }

    func process(_ read: @Sendable () async throws -> Data) async throws -> ProcessedImage {
        AttachmentMetrics.imagesWaiting.record(queue.waiting + 1)
        return try await queue.pass {
            let image = try await read()
            let start = ContinuousClock.now
            do {
                let made = try await threads.runIfActive { [self] in
                    let helper = try take()
                    return try helper.process(image, until: ContinuousClock.now + deadline)
                }
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

    private func take() throws -> ImageHelper {
        // One that was killed while it waited says nothing against the picture.
        while let helper = ready.withLock({ $0.popLast() }) {
            if !helper.hasEnded { return helper }
        }
        return try ImageHelper.start(program)
    }

    /// Those that wait for a picture.
    var idle: [pid_t] { ready.withLock { $0.map(\.pid) } }

    func trouble() async -> String? {
        FileManager.default.isExecutableFile(atPath: program) ? nil : "the image helper is not there: \(program)"
    }
}
