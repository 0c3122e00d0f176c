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

    /// Written one by one: as one literal the compiler spends half a minute on them.
    private static let foreign: [String] = {
        let bare = String(text.dropFirst(3).dropLast())
        let (unopened, unclosed, strong) = (
            String(text.dropFirst(3)), String(text.dropLast()), String(text.dropFirst(2))
        )
        var fields: [String] = ["", " ", ",", "\"", "\"\"", "W/", "W/\"", "**", "*, \"a\"", "\"a\", *", "W/\"a\""]
        fields += [
            "w/" + strong, bare, unclosed, unopened, text + "x", "'" + bare + "'", text.lowercased(), "\u{0}" + text,
        ]
        fields += ["\"a\" " + text, "x" + text, "\"x\"" + text, "\"" + text + "\""]
        for (part, count) in [(",", 8_000), ("\"", 8_001), ("\"x\",", 2_000), ("W/", 4_000)] {
            fields.append(String(repeating: part, count: count))
        }
        return fields
    }()

    @Test(arguments: foreign)
    func `is not named by`(field: String) {
        #expect(!Self.tag.matches(ifNoneMatch: field))
    }
}
