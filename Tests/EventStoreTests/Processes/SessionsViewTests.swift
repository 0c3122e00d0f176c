import Testing

@testable import EventStore

/// Who counts as living, by what was seen of sessions.
@Suite struct SessionsViewTests {
    private final class Observer {
        private var view = SessionsView()
        private let start = ContinuousClock.now

        private func time(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

        func begin() { view.begin() }

        func end() { view.end() }

        /// The answer comes a moment after the question.
        func note(_ keys: Set<Int32>, at seconds: Double) -> Bool {
            view.note(keys, askedAt: time(seconds), at: time(seconds + 0.1))
        }

        func living(at seconds: Double) -> [Int32]? { view.living(at: time(seconds)) }

        func isCurrent(at seconds: Double) -> Bool { view.isCurrent(at: time(seconds)) }

        /// Has seen these three times, at 0, 1 and 2 s.
        static func watching(_ keys: Set<Int32>) -> Observer {
            let observer = Observer()
            observer.begin()
            for second in 0...2 { _ = observer.note(keys, at: Double(second)) }
            return observer
        }
    }

    @Test func `nobody is taken for dead, and nothing claimed, before all have been seen for a while`() {
        let observer = Observer()
        observer.begin()
        #expect(!observer.note([1, 2], at: 0))
        #expect(observer.living(at: 0) == nil && !observer.isCurrent(at: 0))
        #expect(!observer.note([1, 2], at: 1))
        #expect(observer.living(at: 1) == nil)
        #expect(observer.note([1, 2], at: 2))
        #expect(observer.living(at: 2) == [1, 2] && observer.isCurrent(at: 2))
        #expect(!observer.note([1, 2, 3], at: 3))
        #expect(observer.living(at: 3) == [1, 2, 3])
    }

    @Test func `who is missing is said at once, and dead after 2 s`() {
        let observer = Observer.watching([1, 2])
        #expect(observer.note([1], at: 3))
        #expect(observer.living(at: 3) == [1, 2])
        #expect(!observer.note([1], at: 4))
        #expect(!observer.note([1], at: 5))
        // Since the answer.
        #expect(observer.living(at: 5) == [1, 2])
        #expect(observer.note([1], at: 6))
        #expect(observer.living(at: 6) == [1])
        #expect(!observer.note([1], at: 7))
    }

    @Test func `who comes back in time was never dead`() {
        let observer = Observer.watching([1, 2])
        #expect(observer.note([1], at: 3))
        #expect(!observer.note([1, 2], at: 4))
        #expect(observer.note([1], at: 5))
        #expect(!observer.note([1], at: 6))
        #expect(observer.living(at: 6) == [1, 2])
    }

    @Test func `who has not asked for 2 s knows nothing, and claims nothing`() {
        let observer = Observer.watching([1, 2])
        #expect(observer.isCurrent(at: 3.9))
        #expect(!observer.isCurrent(at: 4) && observer.living(at: 4) == nil)
    }

    @Test func `whoever has a new session misses the others anew`() {
        let observer = Observer.watching([1, 2])
        #expect(observer.note([1], at: 3))
        observer.end()
        #expect(observer.living(at: 3) == nil)
        observer.begin()
        #expect(observer.note([1], at: 10))
        #expect(!observer.note([1], at: 11))
        #expect(observer.living(at: 11) == nil)
        #expect(observer.note([1], at: 12))
        #expect(observer.living(at: 12) == [1, 2])
        #expect(observer.note([1], at: 13))
        #expect(observer.living(at: 13) == [1])
    }
}
