/// What was measured at each size.
struct Curve: Sendable, Encodable {
    struct Figure: Sendable, Encodable {
        let what: String
        let unit: FigureUnit
        let value: Double

        init(_ what: String, _ value: Double, _ unit: FigureUnit) {
            self.what = what
            self.value = value
            self.unit = unit
        }
    }

    struct Point: Sendable, Encodable {
        let size: Double
        let figures: [Figure]
    }

    let dimension: Dimension
    let title: String
    /// What the size counts.
    let axis: String
    /// Whether sizes are better shown by their logarithms.
    let isLogarithmic: Bool
    private(set) var points: [Point] = []

    init(_ dimension: Dimension, _ title: String, axis: String, isLogarithmic: Bool = true) {
        self.dimension = dimension
        self.title = title
        self.axis = axis
        self.isLogarithmic = isLogarithmic
    }

    mutating func add(_ size: Double, _ figures: [Figure]) {
        points.append(Point(size: size, figures: figures))
    }

    mutating func add(_ size: Int, _ figures: [Figure]) {
        add(Double(size), figures)
    }

    var table: String {
        let names = points.first?.figures.map(\.what) ?? []
        var table = TextTable([axis] + names)
        for point in points {
            table.add([FigureUnit.count.text(point.size)] + point.figures.map { $0.unit.text($0.value) })
        }
        return "\(title)\n\n\(table.text)"
    }
}
