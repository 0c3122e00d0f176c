/// All that a measurement found, and under which conditions.
struct BenchReport: Sendable, Encodable {
    let conditions: Conditions
    var findings: [Finding] = []
    /// Rows that could not be measured, and why.
    var failures: [String: String] = [:]

    var table: String {
        var table = TextTable(["what", "figure", "yardstick", "ratio", "bar", "aim", "spread"])
        for finding in findings { table.add(Self.cells(finding)) }
        let missing = failures.sorted { $0.key < $1.key }.map { "NOT measured: \($0.key): \($0.value)" }
        let yardsticks = findings.compactMap { finding in
            finding.yardstick.map { "\(finding.row) ÷ \($0.name)" }
        }
        return
            ([conditions.description, "", table.withoutEmptyColumns.text] + missing
            + (yardsticks.isEmpty ? [] : ["", "Yardsticks:"]) + yardsticks).joined(separator: "\n")
    }

    private static func cells(_ finding: Finding) -> [String] {
        [
            "\(finding.row): \(finding.what)",
            finding.unit.text(finding.figure),
            finding.yardstick.map { $0.unit.text(Statistics.median($0.values)) } ?? "",
            finding.ratio.map { FigureUnit.ratio.text($0) } ?? "",
            cell(finding.goal?.bar, finding.isBarMet, finding),
            cell(finding.goal?.aim, finding.isAimMet, finding),
            finding.spread.map { "\(Int($0.rounded())) %" } ?? "",
        ]
    }

    private static func cell(_ limit: Double?, _ isMet: Bool?, _ finding: Finding) -> String {
        guard let limit, let isMet, let goal = finding.goal else { return "" }
        let unit = goal.judged == .ratio ? FigureUnit.ratio : finding.unit
        return "\(goal.direction.rawValue) \(unit.text(limit)) \(isMet ? "met" : "NOT met")"
    }
}
