/// Rows of text, set in columns.
struct TextTable {
    let titles: [String]
    private(set) var rows: [[String]] = []

    init(_ titles: [String]) {
        self.titles = titles
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The same without the columns that have a title and nothing else.
    var withoutEmptyColumns: TextTable {
        let kept = titles.indices.filter { column in
            rows.contains { $0.indices.contains(column) && !$0[column].isEmpty }
        }
        var table = TextTable(kept.map { titles[$0] })
        for row in rows { table.add(kept.map { row.indices.contains($0) ? row[$0] : "" }) }
        return table
    }

    /// The first column to the left, all others to the right.
    var text: String {
        let all = [titles] + rows
        let widths = titles.indices.map { column in
            all.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        let lines = all.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: " | ")
        }
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "-|-")
        return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }
}
