import EventSourcing
import Foundation

/// One message of one conversation.
struct MessageKey: Hashable {
    let conversation: UUID
    let seq: Int64
    let partition: Int32

    init(_ seq: Int64, in record: RecordedEvent) {
        conversation = record.stream.id
        self.seq = seq
        partition = Int32(clamping: record.partition)
    }
}
