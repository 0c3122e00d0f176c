import Edge
import Foundation
import Live
import NIOCore
import ParleyWire

/// The answer to `GET /v1/sync?since=` as it grows, within bounds: events are written as they come, so that only their
/// bytes are held.
struct DeltaBody {
    private let epoch: UInt64
    private let maxEvents: Int
    private let maxBytes: Int
    private var bytes = ByteBuffer(string: #"{"events":["#)
    private var count = 0
    private var endsWithPreface = false
    /// How far a client has come that takes what was added.
    private(set) var cursor: String?
    /// Those of which something was added.
    private(set) var conversations: Set<UUID> = []

    init(epoch: UInt64, maxEvents: Int, maxBytes: Int) {
        self.epoch = epoch
        self.maxEvents = maxEvents
        self.maxBytes = maxBytes
    }

    /// Adds an event: the first one always, others as far as there is room.
    ///
    /// - Returns: false where it was left out.
    @discardableResult
    mutating func add(_ event: CatchUp.Event) -> Bool {
        let isOrdered = event.vector != nil || event.isPreface
        // One more than there is room for, where it could not be gone on from otherwise. Counts have no place to go on
        // from, and are short.
        let isFull = count >= maxEvents || (count > 0 && bytes.readableBytes >= maxBytes)
        guard !isFull || !isOrdered || endsWithPreface else { return false }
        let id = event.vector?.text(epoch: epoch)
        if bytes.readableBytes > Self.emptySize { bytes.writeStaticString(",") }
        bytes.writeBytes(JSONWriter.data(of: SyncDelta.Event(id: id, event: event.event), reserving: 1_024))
        if isOrdered { count += 1 }
        if let id { cursor = id }
        if let conversation = event.conversation { conversations.insert(conversation) }
        endsWithPreface = event.isPreface
        return true
    }

    private static let emptySize = #"{"events":["#.utf8.count

    func end(at cursor: String, hasMore: Bool) -> ByteBuffer {
        var whole = bytes
        whole.writeStaticString(#"],"cursor":"#)
        whole.writeImmutableBuffer(JSONBody.encode(cursor))
        whole.writeStaticString(#","hasMore":"#)
        whole.writeString("\(hasMore)}")
        return whole
    }
}
