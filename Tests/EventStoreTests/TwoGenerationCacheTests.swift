import EventStore
import Testing

@Suite struct TwoGenerationCacheTests {
    @Test func `what is held never weighs more than was allowed, whatever is promoted and grows`() {
        var cache = TwoGenerationCache<Int, Int>(capacity: 100)
        var random = SystemRandomNumberGenerator()
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<60, using: &random)
            switch step % 3 {
            case 0: cache.insert(step, for: key, weight: Int.random(in: 1...10, using: &random))
            case 1: _ = cache.value(for: key)
            default: if step.isMultiple(of: 7) { cache.remove(key) }
            }
            #expect(cache.weight >= 0)
            #expect(cache.weight <= 100 + 2 * 10)
        }
    }

    @Test func `an entry keeps its weight when it becomes young again`() {
        var cache = TwoGenerationCache<String, Int>(capacity: 20)
        cache.insert(1, for: "heavy", weight: 6)
        cache.insert(2, for: "filler", weight: 4)
        #expect(cache.value(for: "heavy") == 1)
        #expect(cache.weight == 10)
        cache.insert(3, for: "heavy", weight: 1)
        #expect(cache.weight == 5)
        cache.remove("heavy")
        cache.remove("filler")
        #expect(cache.weight == 0)
    }
}
