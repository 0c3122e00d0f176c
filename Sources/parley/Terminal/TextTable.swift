/// Columns for a terminal, one row a line.
enum TextTable {
    /// - Parameter rows: all of as many columns; the first names them.
    static func text(_ rows: [[String]]) -> String {
        guard let head = rows.first else { return "" }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
            return (cells.dropLast() + [row.last ?? ""]).joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
