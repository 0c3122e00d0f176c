import ParleyWire
import Testing

struct PatchTests {
    @Test func `absent, null and a value are three things`() throws {
        #expect(try decoded(PatchMeRequest.self, "{}").photoURL == .unchanged)
        #expect(try decoded(PatchMeRequest.self, #"{"photoURL": null}"#).photoURL == .clear)
        #expect(try decoded(PatchMeRequest.self, #"{"photoURL": "u"}"#).photoURL == .set("u"))
    }

    @Test func `unchanged fields are not written`() throws {
        #expect(try encoded(PatchMeRequest()) == "{}")
        #expect(
            try encoded(PatchMeRequest(displayName: .set("Ada"), photoURL: .clear))
                == #"{"displayName":"Ada","photoURL":null}"#
        )
    }

    @Test func `a wrong type names its field`() throws {
        let error = #expect(throws: DecodingError.self) {
            try decoded(PatchMeRequest.self, #"{"settings": {"locale": 5}}"#)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("not a type mismatch")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["settings", "locale"])
    }

    @Test func `a patch of a group knows its fields`() throws {
        let patch = try decoded(PatchGroupRequest.self, #"{"groupName": "Trip", "joinPolicy": "open"}"#)
        #expect(patch == PatchGroupRequest(groupName: .set("Trip"), joinPolicy: .set(.open)))
    }
}
