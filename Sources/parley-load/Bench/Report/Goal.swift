/// What a finding should reach.
struct Goal: Sendable, Encodable {
    /// Whether the figure itself is judged, or the figure divided by its yardstick.
    enum Judged: String, Sendable, Encodable {
        case figure
        case ratio
    }

    enum Direction: String, Sendable, Encodable {
        case atLeast = "≥"
        case atMost = "≤"
    }

    let judged: Judged
    let direction: Direction
    let bar: Double
    let aim: Double

    init(_ judged: Judged, _ direction: Direction, bar: Double, aim: Double) {
        self.judged = judged
        self.direction = direction
        self.bar = bar
        self.aim = aim
    }

    func isMet(_ value: Double, limit: Double) -> Bool {
        switch direction {
        case .atLeast: value >= limit
        case .atMost: value <= limit
        }
    }
}
