public import Foundation

/// How far a member has received and read.
public struct ReceiptMark: Codable, Hashable, Sendable {
    public var userId: WireID
    public var deliveredSeq: Int64
    public var readSeq: Int64
    public var at: Date

    public init(userId: WireID, deliveredSeq: Int64, readSeq: Int64, at: Date) {
        self.userId = userId
        self.deliveredSeq = deliveredSeq
        self.readSeq = readSeq
        self.at = at
    }
}
