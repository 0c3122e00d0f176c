import Testing

@testable import ReadModels

@Suite struct PartitionQueueTests {
    @Test("partitions are built with the longest first, and those without events not at all")
    func longestFirst() {
        let order = PartitionQueue.longestFirst(upTo: [0, 7, 50, 7, 20, 90], from: [0, 0, 0, 0, 20, 85])
        #expect(order == [2, 1, 3, 5])
    }

    @Test("each partition is given out once")
    func eachOnce() {
        let queue = PartitionQueue([4, 1])
        #expect([queue.next(), queue.next(), queue.next()] == [4, 1, nil])
    }
}
