/// One line of the table: a figure, what it is compared to, and what it should be; with the values of all runs.
struct Finding: Sendable {
    struct Yardstick: Sendable {
        let name: String
        /// One per run, in the order of the figures.
        let values: [Double]
        let unit: FigureUnit

        init(_ name: String, _ values: [Double], _ unit: FigureUnit) {
            self.name = name
            self.values = values
            self.unit = unit
        }
    }

    let row: String
    let what: String
    /// One per run.
    let figures: [Double]
    let unit: FigureUnit
    let yardstick: Yardstick?
    let goal: Goal?
    /// What else was measured, for the report only.
    let details: [String: Double]

    init(
        _ row: RowName,
        _ what: String,
        _ figures: [Double],
        _ unit: FigureUnit,
        yardstick: Yardstick? = nil,
        goal: Goal? = nil,
        details: [String: Double] = [:]
    ) {
        self.init(row.rawValue, what, figures, unit, yardstick: yardstick, goal: goal, details: details)
    }

    init(
        _ row: String,
        _ what: String,
        _ figures: [Double],
        _ unit: FigureUnit,
        yardstick: Yardstick? = nil,
        goal: Goal? = nil,
        details: [String: Double] = [:]
    ) {
        self.row = row
        self.what = what
        self.figures = figures
        self.unit = unit
        self.yardstick = yardstick
        self.goal = goal
        self.details = details
    }

    var figure: Double { Statistics.median(figures) }

    /// Figure ÷ yardstick, run by run: what drifts between runs moves both.
    var ratios: [Double] {
        guard let yardstick else { return [] }
        return zip(figures, yardstick.values).map { $1 > 0 ? $0 / $1 : 0 }
    }

    var ratio: Double? { ratios.isEmpty ? nil : Statistics.median(ratios) }

    /// What the goal is about.
    var judged: Double { goal?.judged == .ratio ? ratio ?? 0 : figure }

    /// From the lowest to the highest run of what is judged, in percent of the median; nil for a single run.
    var spread: Double? {
        let values = goal?.judged == .ratio ? ratios : figures
        return values.count > 1 ? Statistics.spread(values) : nil
    }

    var isBarMet: Bool? { goal.map { $0.isMet(judged, limit: $0.bar) } }
    var isAimMet: Bool? { goal.map { $0.isMet(judged, limit: $0.aim) } }
}

extension Finding: Encodable {
    private enum Key: String, CodingKey {
        case row, what, figure, unit, runs, yardstick, ratio, ratios, goal, barMet, aimMet, spreadPercent, details
    }

    private enum YardstickKey: String, CodingKey {
        case name, figure, unit, runs
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(row, forKey: .row)
        try container.encode(what, forKey: .what)
        try container.encode(figure, forKey: .figure)
        try container.encode(unit.rawValue, forKey: .unit)
        try container.encode(figures, forKey: .runs)
        if let yardstick {
            var nested = container.nestedContainer(keyedBy: YardstickKey.self, forKey: .yardstick)
            try nested.encode(yardstick.name, forKey: .name)
            try nested.encode(Statistics.median(yardstick.values), forKey: .figure)
            try nested.encode(yardstick.unit.rawValue, forKey: .unit)
            try nested.encode(yardstick.values, forKey: .runs)
            try container.encode(ratios, forKey: .ratios)
        }
        try container.encodeIfPresent(ratio, forKey: .ratio)
        try container.encodeIfPresent(goal, forKey: .goal)
        try container.encodeIfPresent(isBarMet, forKey: .barMet)
        try container.encodeIfPresent(isAimMet, forKey: .aimMet)
        try container.encodeIfPresent(spread, forKey: .spreadPercent)
        if !details.isEmpty { try container.encode(details, forKey: .details) }
    }
}
