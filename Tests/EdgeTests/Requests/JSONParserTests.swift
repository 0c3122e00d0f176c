import TestSupport
import Testing

@testable import Edge

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSON {
        try JSONParser.parse(Array(text.utf8))
    }

    @Test func `every kind of value is read`() throws {
        let json = try parse(#" {"a": [null, true, false, -1, 2.5, "x"], "b": {}, "c": []} "#)
        let elements: [JSON] = [
            .null, .bool(true), .bool(false), .number(JSONNumber(double: -1, integer: -1)),
            .number(JSONNumber(double: 2.5, integer: nil)), .string("x"),
        ]
        #expect(json == .object(["a": .array(elements), "b": .object([:]), "c": .array([])]))
    }

    @Test func `names that nothing here has are left out, however hard they are to compare`() throws {
        let marks = "a" + String(repeating: "\u{315}\u{301}", count: 8_000)
        let json = try parse(#"{"a":1,"\#(marks)":2,"é":3,"\#(String(repeating: "x", count: 65))":4}"#)
        #expect(json == .object(["a": .number(JSONNumber(double: 1, integer: 1))]))
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
        (#""\u00e9\u20AC""#, "é€"),
        (#""\ud83d\ude00""#, "😀"),
        (#""\u0000""#, "\0"),
        ("\"👩‍👩‍👧‍👦 שלום é\"", "👩‍👩‍👧‍👦 שלום é"),
        (#""""#, ""),
    ])
    func `strings are read unchanged`(text: String, expected: String) throws {
        guard case .string(let string) = try parse(text) else {
            Issue.record("no string")
            return
        }
        #expect(Array(string.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""a\ud800b""#, #""\ud800\ud800""#, #""\ud800\u0041""#, #""\udfff\ud800""#,
        #""\ud800\n""#,
    ])
    func `a surrogate without its partner is told apart`(text: String) throws {
        #expect(try parse(text) == .unpairedSurrogate)
    }

    @Test func `a name with half a surrogate names nothing`() throws {
        #expect(try parse(#"{"\ud800": 1, "a": 2}"#) == .object(["a": .number(JSONNumber(double: 2, integer: 2))]))
    }

    @Test func `of two members with one name the last counts`() throws {
        #expect(try parse(#"{"a": 1, "a": null}"#) == .object(["a": .null]))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "{]", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}",
        "[1 2]",
        "nul", "truee", "TRUE", "NaN", "Infinity", "-", "01", "1.", ".5", "1e", "+1", "0x1", "1 1", "\"", "\"\\",
        "\"\\x\"",
        "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "\"\t\"", "\"\0\"", "// no", "{} {}", "\u{feff}{}", "\"\\u", "[\"a\\",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test(
        arguments: [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22],
            [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22], [0x22, 0x5c, 0x6e, 0xff, 0x22],
        ] as [[UInt8]]
    )
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONError.notUTF8(offset: 1)) { try JSONParser.parse(bytes) }
    }

    @Test func `UTF-16 is not guessed`() {
        let bytes = Array("{}".utf16).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(throws: JSONError.syntax(offset: 1)) { try JSONParser.parse(bytes) }
    }

    @Test(
        arguments: [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("1e3", 1000), ("10.0", 10),
            ("-0", 0),
            ("9223372036854775808", nil), ("1.5", nil), ("1e400", nil), ("-1e400", nil), ("1e-400", 0),
        ] as [(String, Int64?)]
    )
    func `numbers are whole where they are exactly that`(text: String, integer: Int64?) throws {
        guard case .number(let number) = try parse(text) else {
            Issue.record("no number")
            return
        }
        #expect(number.integer == integer)
    }

    @Test func `depth is bounded`() throws {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try parse(deepest)
        #expect(throws: JSONError.tooDeep(limit: 32)) { try parse("[" + deepest + "]") }
        #expect(throws: JSONError.tooDeep(limit: 32)) { try parse(String(repeating: "{\"a\":", count: 500_000)) }
    }

    @Test func `the number of values is bounded`() {
        let text = "[" + String(repeating: "0,", count: 25_000) + "0]"
        #expect(throws: JSONError.tooManyValues(limit: 25_000)) { try parse(text) }
    }

    @Test func `no cut or changed byte of a body traps`() {
        let body = Array(#"{"text": "a\u00e9\ud83d\ude00\n", "list": [1, -2.5e+3, true, null, {"x": ""}]}"#.utf8)
        for length in 0..<body.count { _ = try? JSONParser.parse(Array(body.prefix(length))) }
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            var changed = body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? JSONParser.parse(changed)
        }
    }
}
