/// One thing that is measured, with its yardstick.
protocol BenchRow: Sendable {
    /// Measures on a server that nothing else uses meanwhile.
    ///
    /// - Throws: ``Unmeasurable`` where this server cannot be measured in this way.
    func measure(_ subject: Subject) async throws -> [Finding]
}

/// Why a row was left out; the others go on.
struct Unmeasurable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
