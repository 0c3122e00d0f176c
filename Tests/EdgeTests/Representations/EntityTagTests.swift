import NIOCore
import Testing

@testable import Edge

struct EntityTagTests {
    private static let tag = EntityTag(of: ByteBuffer(string: "{}"))
    /// Written down: another server, or a later version, has to come to the same.
    private static let text = #"W/"RBNvo1WzZ4oRRq0W9+hknpT7T8If536D""#

    @Test func `a tag stands for the content`() {
        #expect(Self.tag.text == Self.text)
        #expect(EntityTag(of: ByteBuffer(string: "{}")) == Self.tag)
        #expect(EntityTag(of: ByteBuffer(string: "{ }")) != Self.tag)
        #expect(EntityTag(of: ByteBuffer()) != Self.tag)
    }

    @Test(arguments: [
        "*", " * ", text, String(text.dropFirst(2)), " \(text)\t", "\"a\",\(text)", "W/\"a\" , \(text) ,\"b\"",
        ",,\(text)", "\"\", \(text)", "\"a,b\", \(text)", "\(text), rubbish",
        String(repeating: "\"x\",", count: 2_000) + text,
    ])
    func `is named by`(field: String) {
        #expect(Self.tag.matches(ifNoneMatch: field))
    }

    @Test(arguments: [
        "", " ", ",", "\"", "\"\"", "W/", "W/\"", "**", "*, \"a\"", "\"a\", *", "W/\"a\"", "w/\(text.dropFirst(2))",
        String(text.dropFirst(3).dropLast()), String(text.dropLast()), String(text.dropFirst(3)), "\(text)x",
        "\"a\" \(text)", "x\(text)", "\"x\"\(text)", "\"\(text)\"", "'\(text.dropFirst(3).dropLast())'",
        text.lowercased(), "\u{0}\(text)", String(repeating: ",", count: 8_000), String(repeating: "\"", count: 8_001),
        String(repeating: "\"x\",", count: 2_000), String(repeating: "W/", count: 4_000),
    ])
    func `is not named by`(field: String) {
        #expect(!Self.tag.matches(ifNoneMatch: field))
    }
}
