extension SQL: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init()
        append(literal: value)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL()

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserve(textBytes: literalCapacity + 3 * interpolationCount, parameters: interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql.append(literal: literal)
        }

        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            sql.append(value)
        }

        /// NULL for nil. The compiler warns of an optional in an interpolation that has no such case.
        package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            sql.append(value)
        }

        package mutating func appendInterpolation(_ parameter: SQLParameter) {
            sql.append(parameter)
        }

        package mutating func appendInterpolation(_ fragment: SQL) {
            sql.append(fragment)
        }

        package mutating func appendInterpolation(identifier: String) {
            sql.append(identifier: identifier)
        }
    }
}
