import CLibPQ

/// The fields of an error that the server reported.
struct ServerMessage {
    /// The protocol's one-letter codes (`PG_DIAG_…`, which the importer leaves out).
    enum Field: Character {
        case severity = "V"
        case sqlState = "C"
        case message = "M"
        case detail = "D"
        case hint = "H"
        case schema = "s"
        case table = "t"
        case column = "c"
        case constraint = "n"
    }

    private let result: OpaquePointer

    init(_ result: OpaquePointer) {
        self.result = result
    }

    subscript(field: Field) -> String? {
        guard let code = field.rawValue.asciiValue else { return nil }
        return PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
}

extension PostgresError {
    init(_ result: OpaquePointer, statement: String, index: Int?, site: CallSite) {
        let fields = ServerMessage(result)
        self.init(
            sqlState: SQLState(rawValue: fields[.sqlState] ?? ""),
            message: fields[.message] ?? "",
            detail: fields[.detail],
            hint: fields[.hint],
            schema: fields[.schema],
            table: fields[.table],
            column: fields[.column],
            constraint: fields[.constraint],
            statement: statement,
            statementIndex: index,
            file: site.file,
            line: site.line
        )
    }
}
