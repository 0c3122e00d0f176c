import Foundation

/// Which streams are told of whom. A stream may watch people whom it is not shown: that may change.
///
/// People and streams are numbered, since ten thousand streams watch two hundred people each.
struct PresenceWatchers<Stream: Hashable & Sendable> {
    private typealias Number = Int32

    /// Whom a stream watches.
    struct Target: Equatable {
        let person: UUID
        let isShown: Bool
    }

    private struct Watching {
        let stream: Stream
        /// The person's number, and whether the person is shown, in the lowest bit.
        var targets: [Number] = []
    }

    private struct Watched {
        let person: UUID
        var watchers: [Number] = []
    }

    private var streams = Slots<Watching>()
    private var people = Slots<Watched>()
    private var numberOfStream: [Stream: Number] = [:]
    private var numberOfPerson: [UUID: Number] = [:]

    var isEmpty: Bool { numberOfStream.isEmpty }

    /// The streams that watch somebody, shown or not.
    func watchers(of person: UUID) -> [Stream] {
        guard let number = numberOfPerson[person] else { return [] }
        return people[number]?.watchers.compactMap { streams[$0]?.stream } ?? []
    }

    /// The streams that are told of somebody.
    func streams(shown person: UUID) -> [Stream] {
        guard let number = numberOfPerson[person] else { return [] }
        return people[number]?.watchers.compactMap { watcher in
            guard let watching = streams[watcher], watching.targets.contains(number << 1 | 1) else { return nil }
            return watching.stream
        } ?? []
    }

    func targets(of stream: Stream) -> [Target] {
        guard let number = numberOfStream[stream] else { return [] }
        return streams[number]?.targets.compactMap { target in
            people[target >> 1].map { Target(person: $0.person, isShown: target & 1 == 1) }
        } ?? []
    }

    /// Has a stream watch these people, each once, and nobody else.
    mutating func set(_ targets: [Target], of stream: Stream) {
        remove(stream)
        let number = streams.insert(Watching(stream: stream))
        numberOfStream[stream] = number
        var numbers: [Number] = []
        numbers.reserveCapacity(targets.count)
        for target in targets {
            let person = numberOfPerson[target.person] ?? people.insert(Watched(person: target.person))
            numberOfPerson[target.person] = person
            people[person]?.watchers.append(number)
            numbers.append(person << 1 | (target.isShown ? 1 : 0))
        }
        streams[number]?.targets = numbers
    }

    mutating func remove(_ stream: Stream) {
        guard let number = numberOfStream.removeValue(forKey: stream) else { return }
        for target in streams.remove(number)?.targets ?? [] {
            let person = target >> 1
            if let index = people[person]?.watchers.firstIndex(of: number) {
                people[person]?.watchers.remove(at: index)
            }
            if people[person]?.watchers.isEmpty == true, let unwatched = people.remove(person) {
                numberOfPerson[unwatched.person] = nil
            }
        }
    }
}

/// Values under numbers that are given again once they are free.
private struct Slots<Value> {
    private var values: [Value?] = []
    private var free: [Int32] = []

    subscript(number: Int32) -> Value? {
        get { values.indices.contains(Int(number)) ? values[Int(number)] : nil }
        _modify {
            guard values.indices.contains(Int(number)) else {
                var none: Value?
                yield &none
                return
            }
            yield &values[Int(number)]
        }
    }

    mutating func insert(_ value: Value) -> Int32 {
        if let number = free.popLast() {
            values[Int(number)] = value
            return number
        }
        values.append(value)
        return Int32(truncatingIfNeeded: values.count - 1)
    }

    mutating func remove(_ number: Int32) -> Value? {
        guard values.indices.contains(Int(number)), let value = values[Int(number)] else { return nil }
        values[Int(number)] = nil
        free.append(number)
        return value
    }
}
