/// A first-in-first-out queue.
struct RequestQueue {
    private var storage: [Request?] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Request? { isEmpty ? nil : storage[head] }
    var all: [Request] { storage[head...].compactMap(\.self) }

    mutating func append(_ request: Request) {
        storage.append(request)
    }

    mutating func prepend(_ request: Request) {
        if head > 0 {
            head -= 1
            storage[head] = request
        } else {
            storage.insert(request, at: 0)
        }
    }

    mutating func popFirst() -> Request? {
        guard !isEmpty else { return nil }
        let request = storage[head]
        storage[head] = nil
        head += 1
        // Moves the rest to the front once in a while, so that both the storage and the cost stay small.
        if head == storage.count {
            storage.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return request
    }

    mutating func remove(_ request: Request) {
        storage.removeAll { $0 === request }
        storage.removeFirst(min(head, storage.count))
        head = 0
    }
}
