/// How often each command was tried, and done.
struct WalkTally {
    /// How often each has to be done at least.
    static let leastDone = 2
    /// How often it is tried for that, once the walk is over.
    static let mostTries = 1_000

    private var tried: [WalkCommand: Int] = [:]
    private var done: [WalkCommand: Int] = [:]

    mutating func note(_ command: WalkCommand, isDone: Bool) {
        tried[command, default: 0] += 1
        if isDone { done[command, default: 0] += 1 }
    }

    func isShort(of command: WalkCommand) -> Bool { done[command, default: 0] < Self.leastDone }

    /// The commands that were not done often enough, for whoever reads of it.
    var shortfalls: [String] {
        WalkCommand.allCases.filter(isShort).map { command in
            "\(command) was done \(done[command, default: 0]) times of \(tried[command, default: 0])"
        }
    }
}
