import CLibPQ
import Foundation

@testable import Postgres

/// Makes a result of libpq without a server.
final class ResultMaker {
    private let pointer = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK)
    private let columns: [String]
    private var count: Int32 = 0

    init(columns: [String]) {
        self.columns = columns
    }

    /// Adds a row of the statement's parameters, each in the binary form in which it would be sent and is received.
    func add(_ row: SQL) {
        precondition(row.parameters.count == columns.count, "a value for each column")
        if count == 0 { describe(row.parameters) }
        for (column, parameter) in row.parameters.enumerated() {
            guard var bytes = parameter.bytes else {
                PQsetvalue(pointer, count, Int32(column), nil, -1)
                continue
            }
            bytes.withUnsafeMutableBytes { bytes in
                let start = bytes.bindMemory(to: CChar.self).baseAddress
                _ = PQsetvalue(pointer, count, Int32(column), start, Int32(bytes.count))
            }
        }
        count += 1
    }

    /// To be taken once, when all rows are there.
    var rows: Rows {
        guard let pointer else { preconditionFailure("libpq had no memory for a result") }
        return Rows(QueryResult(pointer))
    }

    private func describe(_ parameters: [SQLParameter]) {
        let names = columns.map { strdup($0) }
        defer { for name in names { free(name) } }
        var descriptions = zip(names, parameters).map { name, parameter in
            PGresAttDesc(
                name: name,
                tableid: 0,
                columnid: 0,
                format: 1,
                typid: parameter.oid,
                typlen: -1,
                atttypmod: -1
            )
        }
        PQsetResultAttrs(pointer, Int32(descriptions.count), &descriptions)
    }
}
