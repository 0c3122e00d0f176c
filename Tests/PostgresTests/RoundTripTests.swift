import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct RoundTripTests {
    private func check<T: PostgresEncodable & PostgresDecodable & Equatable>(
        _ values: [T],
        type: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let pool = TestDatabase.current.pool
        for value in values {
            let row = try await pool.query("SELECT \(value) AS v, pg_typeof(\(value))::text AS t")[0]
            #expect(try row.decode("v", as: T.self) == value, sourceLocation: sourceLocation)
            #expect(try row.decode("t", as: String.self) == type, sourceLocation: sourceLocation)
        }
    }

    @Test func `integers come back`() async throws {
        try await check([Int16.min, -1, 0, 1, .max], type: "smallint")
        try await check([Int32.min, -1, 0, 1, .max], type: "integer")
        try await check([Int64.min, -1, 0, 1, .max], type: "bigint")
        try await check([Int.min, -1, 0, 1, .max], type: "bigint")
    }

    @Test func `other scalars come back`() async throws {
        try await check([true, false], type: "boolean")
        try await check([0.0, -0.5, .pi, .greatestFiniteMagnitude, .infinity, -.infinity], type: "double precision")
        try await check([UUID(), UUID()], type: "uuid")
        try await check([Bytes([]), Bytes([0]), Bytes(Array(0...255))], type: "bytea")
        try await check([JSONText(Array(#"{"a": [1, null, "é"]}"#.utf8))], type: "json")
        let nan = try await TestDatabase.current.pool.query("SELECT \(Double.nan)").only(Double.self)
        #expect(nan.isNaN)
    }

    @Test func `lexemes come with their positions`() async throws {
        let row = try await TestDatabase.current.pool.query(
            "SELECT 'a:1,3B,16383A b ''two words'':2 été:7'::tsvector AS v, ''::tsvector AS e, 1 AS n"
        )[0]
        var found: [String: [Int]] = [:]
        try row.decode("v", as: TextSearchVector.self).forEach { found[$0] = Array($1) }
        #expect(found == ["a": [1, 3, 16_383], "b": [], "two words": [2], "été": [7]])
        try row.decode("e", as: TextSearchVector.self).forEach { lexeme, _ in Issue.record("\(lexeme)") }
        #expect(throws: PostgresDecodingError.self) { try row.decode("n", as: TextSearchVector.self) }
    }

    @Test func `texts come back`() async throws {
        try await check(
            [
                "", " ", "a'b\"c\\d", "żółć", "👩‍👩‍👧‍👦", "مرحبا", "\u{FEFF}", "line\nline\ttab", "$1",
                String(repeating: "é", count: 70_000),
            ],
            type: "text"
        )
    }

    @Test func `dates come back to the microsecond`() async throws {
        let dates = [0, 1, 1_700_000_000.123456, -86_400_000.5, 4_102_444_800].map { Date(timeIntervalSince1970: $0) }
        for date in dates + [.distantPast, .distantFuture] {
            let row = try await TestDatabase.current.pool.query(
                "SELECT \(date) AS d, extract(epoch FROM \(date))::float8 AS seconds"
            )[0]
            #expect(abs(try row.decode("d", as: Date.self).timeIntervalSince(date)) < 0.000_001)
            #expect(abs(try row.decode("seconds", as: Double.self) - date.timeIntervalSince1970) < 0.000_001)
        }
    }

    @Test func `a date read from the database is sent back the same`() async throws {
        let pool = TestDatabase.current.pool
        let first = try await pool.query("SELECT now()").only(Date.self)
        #expect(try await pool.query("SELECT \(first)").only(Date.self) == first)
    }

    @Test func `nothing is NULL`() async throws {
        let row = try await TestDatabase.current.pool.query(
            "SELECT \(Int?.none) AS a, \(String?.none) AS b, \(Int?.some(3)) AS c, \([Int]?.none) AS d"
        )[0]
        #expect(try row.decode("a", as: Int?.self) == nil)
        #expect(try row.decode("b", as: String?.self) == nil)
        #expect(try row.decode("c", as: Int?.self) == 3)
        #expect(try row.decode("d", as: [Int]?.self) == nil)
        #expect(throws: PostgresDecodingError.self) { try row.decode("a", as: Int.self) }
    }

    @Test func `arrays come back`() async throws {
        try await check([[], [1], Array(0..<5000)], type: "bigint[]")
        try await check([[Int16](), [1, .min]], type: "smallint[]")
        try await check([[Int32](), [1, .min]], type: "integer[]")
        try await check([[Int64](), [1, .min]], type: "bigint[]")
        try await check([[], [true, false]], type: "boolean[]")
        try await check([[], [0.5, -1]], type: "double precision[]")
        try await check([[], ["", "a,b", "{\"", "NULL", "żółć"]], type: "text[]")
        try await check([[UUID(), UUID()]], type: "uuid[]")
        try await check([[Bytes([]), Bytes([0, 255])]], type: "bytea[]")
        try await check([[JSONText(Array("[1]".utf8))]], type: "json[]")
        try await check([[Date(timeIntervalSinceReferenceDate: 0)]], type: "timestamp with time zone[]")
    }

    @Test func `arrays with gaps come back`() async throws {
        try await check([[1, nil, 3], [nil], []] as [[Int?]], type: "bigint[]")
        try await check([["", nil, "x"]] as [[String?]], type: "text[]")
        let row = try await TestDatabase.current.pool.query("SELECT ARRAY[1, NULL] AS a")[0]
        #expect(throws: PostgresDecodingError.self) { try row.decode("a", as: [Int].self) }
    }

    @Test func `an array serves as a set`() async throws {
        let rows = try await TestDatabase.current.pool.query(
            """
            SELECT a.id, a.name FROM unnest(\([1, 2, 3]), \(["x", nil, "z"] as [String?])) AS a (id, name)
            WHERE a.id = ANY(\([1, 2]))
            """
        )
        #expect(try rows.map { try $0.decode("id", as: Int.self) } == [1, 2])
        #expect(try rows.map { try $0.decode("name", as: String?.self) } == ["x", nil])
    }

    @Test func `related column types decode`() async throws {
        let row = try await TestDatabase.current.pool.query(
            """
            SELECT 'v'::varchar AS v, 'n'::name AS n, 'b '::char(3) AS b, 2::int2 AS i2, 4::int4 AS i4, 0.5::float4 AS f,
                '{"a": 1}'::jsonb AS j
            """
        )[0]
        #expect(try row.decode("v") == "v")
        #expect(try row.decode("n") == "n")
        #expect(try row.decode("b") == "b  ")
        #expect(try row.decode("i2") == 2)
        #expect(try row.decode("i4", as: Int64.self) == 4)
        #expect(try row.decode("f") == 0.5)
        #expect(try row.decode("j") == JSONText(Array(#"{"a": 1}"#.utf8)))
    }

    @Test func `what does not fit is refused, by column and without the value`() async throws {
        let row = try await TestDatabase.current.pool.query("SELECT 'hidden' AS t, 70000 AS big, ARRAY[[1], [2]] AS m")[
            0
        ]
        let error = #expect(throws: PostgresDecodingError.self) { try row.decode("t", as: Int.self) }
        #expect(error?.column == "t")
        #expect(error?.reason == .typeMismatch(25))
        #expect(error.map { !"\($0)".contains("hidden") } == true)
        #expect(throws: PostgresDecodingError.self) { try row.decode("big", as: Int16.self) }
        #expect(throws: PostgresDecodingError.self) { try row.decode("m", as: [Int].self) }
        #expect(throws: PostgresDecodingError.self) { try row.decode("missing", as: Int.self) }
        #expect(throws: PostgresDecodingError.self) { try row.decode(3, as: Int.self) }
        #expect(throws: PostgresDecodingError.self) { try row.decode(-1, as: Int.self) }
    }

    @Test func `raw representables are sent and read as their raw values`() async throws {
        let row = try await TestDatabase.current.pool.query(
            "SELECT \(Role.admin) AS r, \([Role.admin, .member]) AS rs, 'king' AS bad"
        )[0]
        #expect(try row.decode("r") == Role.admin)
        #expect(try row.decode("rs") == [Role.admin, .member])
        #expect(throws: PostgresDecodingError.self) { try row.decode("bad", as: Role.self) }
    }

    private enum Role: String, PostgresArrayElement, PostgresDecodable {
        case admin
        case member
    }
}
