import Foundation
import Messaging
import ParleyWire
import Testing

@testable import API
@testable import Edge

@Suite struct FieldsTests {
    private func fields(_ text: String) throws -> Fields {
        guard case .object(let members) = try JSONParser.parse(Array(text.utf8)) else { return Fields([:]) }
        return Fields(members)
    }

    private func mistakes(_ fields: Fields) -> [String] {
        fields.errors.map { "\($0.pointer ?? "?") \($0.code.rawValue)" }
    }

    @Test func `all mistakes are told at once`() throws {
        var fields = try fields(
            #"{"b": 1, "c": "abcdef", "d": "\u0000", "e": "\ud800", "f": true, "g": "x", "h": "y", "i": null}"#
        )
        _ = fields.text("a", 1...3, required: true)
        _ = fields.text("b", 1...3)
        _ = fields.text("c", 1...3)
        _ = fields.text("d", 1...3)
        _ = fields.text("e", 1...3)
        _ = fields.integer("f", 0...9)
        _ = fields.id("g")
        _ = fields.time("h")
        _ = fields.text("i", 1...3, required: true)
        #expect(
            mistakes(fields) == [
                "/a required", "/b wrongType", "/c tooLong", "/d invalid", "/e invalid", "/f wrongType", "/g invalid",
                "/h invalid", "/i required",
            ]
        )
    }

    @Test func `a length is counted in Unicode scalars`() throws {
        let family = "👩‍👩‍👧‍👦"
        var fields = try fields(#"{"a": "\#(family)"}"#)
        #expect(fields.text("a", 7...7) == family)
        #expect(fields.text("a", 0...6) == nil)
        #expect(fields.text("a", 8...9) == nil)
        #expect(mistakes(fields) == ["/a tooLong", "/a tooShort"])
    }

    @Test func `a name loses the white space around it and has one line`() throws {
        var fields = try fields(#"{"a": "  Ada \n", "b": "   ", "c": "a\nb"}"#)
        #expect(fields.name("a", 3...3) == "Ada")
        #expect(fields.name("b", 1...3) == nil)
        #expect(fields.name("c", 1...3) == nil)
        #expect(mistakes(fields) == ["/b tooShort", "/c invalid"])
    }

    @Test func `a name that shows nothing is blank, and joined emoji and turned letters are seen`() throws {
        var fields = try fields(
            #"{"a": "\u200e\u200f", "b": "\u3164\ufe0f", "c": "\u0301", "d": "👩\u200d💻", "e": "\u200fשָׁלוֹם"}"#
        )
        for name in ["a", "b", "c"] { #expect(fields.name(name, 1...9) == nil) }
        #expect(fields.name("d", 1...9) == "👩\u{200D}💻")
        #expect(fields.name("e", 1...9) == "\u{200F}שָׁלוֹם")
        #expect(mistakes(fields) == ["/a blank", "/b blank", "/c blank"])
    }

    @Test(arguments: 0x202A...0x202E)
    func `a name that embeds or overrides a direction is refused`(mark: Int) throws {
        try expectRefused(mark)
    }

    @Test(arguments: 0x2066...0x2069)
    func `a name that isolates a direction is refused`(mark: Int) throws {
        try expectRefused(mark)
    }

    private func expectRefused(_ mark: Int) throws {
        let escape = "\\u\(String(mark, radix: 16))"
        var fields = try fields(#"{"a": "evil\#(escape)gnp.exe"}"#)
        #expect(fields.name("a", 1...20) == nil)
        #expect(mistakes(fields) == ["/a invalid"])
    }

    @Test(arguments: ["\u{200E}", "\u{200F}", "\u{61C}", "\u{200C}", "\u{200D}"])
    func `marks that honest names need stay among their letters`(mark: String) throws {
        var fields = try fields(#"{"a": "می\#(mark)خواهم"}"#)
        #expect(fields.name("a", 1...20) == "می\(mark)خواهم")
        #expect(fields.areValid)
    }

    @Test(arguments: ["1.5", "-1", "10", "1e400", "9223372036854775808", "\"1\"", "true", "[]"])
    func `a number that is not whole or not in its range is refused`(value: String) throws {
        var fields = try fields(#"{"a": \#(value)}"#)
        #expect(fields.integer("a", 0...9) == nil)
        #expect(!fields.areValid)
    }

    @Test func `what is wrong inside is told with its place`() throws {
        var fields = try fields(
            #"{"list": [{"id": "x"}, 7, {}], "ids": ["1", 2], "inner": {"on": "yes"}}"#
        )
        _ = fields.objects("list", atMost: 3) { $0.id("id", required: true) }
        _ = fields.ids("ids", atMost: 2)
        _ = fields.object("inner") { $0.bool("on") }
        #expect(
            mistakes(fields) == [
                "/list/0/id invalid", "/list/1 wrongType", "/list/2/id required", "/ids/0 invalid", "/ids/1 wrongType",
                "/inner/on wrongType",
            ]
        )
    }

    @Test func `lists are bounded, and so are the mistakes told`() throws {
        var fields = try fields(#"{"ids": [\#(Array(repeating: "0", count: 60).joined(separator: ","))]}"#)
        #expect(fields.ids("ids", atMost: 59) == nil)
        #expect(mistakes(fields) == ["/ids tooMany"])
        #expect(fields.ids("ids", atMost: 60) == nil)
        #expect(fields.errors.count == 50)
    }

    @Test func `in a PATCH absent leaves and null clears`() throws {
        var fields = try fields(#"{"a": null, "b": "x"}"#)
        #expect(fields.change("a") { $0.text($1, 1...3) } == .cleared)
        #expect(fields.change("b") { $0.text($1, 1...3) } == .set("x"))
        #expect(fields.change("c") { $0.text($1, 1...3) } == Change<String>.unchanged)
        fields.refuseNull("a")
        fields.refuseNull("c")
        #expect(mistakes(fields) == ["/a wrongType"])
    }

    @Test func `ids read in either case and nothing else`() throws {
        let id = try #require(UUID(uuidString: "0195C0DE-0000-7000-8000-00000000ABCD"))
        var fields = try fields(
            #"{"a": "0195c0de-0000-7000-8000-00000000abcd", "b": "0195C0DE-0000-7000-8000-00000000ABCD", "c": "{}", "d": ""}"#
        )
        #expect(fields.id("a") == id)
        #expect(fields.id("b") == id)
        #expect(fields.id("c") == nil)
        #expect(fields.id("d") == nil)
    }

    @Test func `an unknown choice is ignored, and what is no text is not`() throws {
        var fields = try fields(#"{"role": "king"}"#)
        #expect(fields.choice("role", of: Role.self) == nil)
        #expect(mistakes(fields) == [])
        fields = try self.fields(#"{"role": 7}"#)
        #expect(fields.choice("role", of: Role.self) == nil)
        #expect(mistakes(fields) == ["/role wrongType"])
    }
}
