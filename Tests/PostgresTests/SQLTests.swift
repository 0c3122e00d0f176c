import Foundation
import Postgres
import Testing

@Suite
struct SQLTests {
    @Test func `a value becomes a parameter, never text`() {
        let name = "Robert'); DROP TABLE students;--"
        let sql: SQL = "SELECT \(name), \(7)"
        #expect(sql.text == "SELECT $1, $2")
        #expect(sql.parameters.map(\.bytes) == [Array(name.utf8), [0, 0, 0, 0, 0, 0, 0, 7]])
        #expect(sql.parameters.map(\.oid) == [25, 20])
    }

    @Test func `an identifier is quoted`() {
        #expect(("SELECT * FROM \(identifier: "a\"b")" as SQL).text == #"SELECT * FROM "a""b""#)
    }

    @Test func `fragments that meet are renumbered`() {
        let left: SQL = "a = \(1) AND b = \(2)"
        let right: SQL = "c = \(3) AND d = \("x")"
        let sum = left + " OR " + right
        #expect(sum.text == "a = $1 AND b = $2 OR c = $3 AND d = $4")
        #expect(sum.parameters == left.parameters + right.parameters)
        #expect(("(\(right)) AND (\(left))" as SQL).text == "(c = $1 AND d = $2) AND (a = $3 AND b = $4)")
    }

    @Test func `renumbering leaves a dollar sign in a literal alone`() {
        let sql: SQL = "x = \(1)" + " AND y = '$1' AND z = \(2)"
        #expect(sql.text == "x = $1 AND y = '$1' AND z = $2")
    }

    @Test func `more than nine placeholders survive renumbering`() {
        let values = (1...12).map { "\($0)" as SQL }.joined(separator: ", ")
        let list = ["a" as SQL, values].joined(separator: ": ")
        let sql = "\(0), \(0), " + list
        #expect(sql.text == "$1, $2, a: $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14")
        #expect(sql.parameters.count == 14)
    }

    @Test func `a description shows no parameter`() {
        let sql: SQL = "SELECT \("secret")"
        #expect("\(sql)" == "SELECT $1")
        #expect(!String(reflecting: sql).contains("secret"))
        var dumped = ""
        dump(sql, to: &dumped)
        dump(sql.parameters, to: &dumped)
        #expect(!dumped.contains("115"))
    }

    @Test func `equal statements are equal`() {
        #expect("SELECT \(1)" as SQL == "SELECT \(1)")
        #expect("SELECT \(1)" as SQL != "SELECT \(2)")
        #expect("SELECT \(1)" as SQL != "SELECT \(Int32(1))")
    }
}
