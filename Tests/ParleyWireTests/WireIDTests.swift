import Foundation
import ParleyWire
import Testing

struct WireIDTests {
    @Test func `an id is written in lower case and read in either`() throws {
        let text = "0195f3ab-c0de-7abc-8def-0123456789ab"
        let id = try #require(WireID(text))
        #expect(id.description == text)
        #expect(id.uuid.uuidString == text.uppercased())
        #expect(WireID(text.uppercased()) == id)
        #expect(try encoded([id]) == #"["\#(text)"]"#)
    }

    @Test func `the text agrees with Foundation for any id`() {
        for _ in 0..<200 {
            let uuid = UUID()
            #expect(WireID(uuid).description == uuid.uuidString.lowercased())
            #expect(WireID(uuid.uuidString)?.uuid == uuid)
        }
    }

    @Test func `ids are the keys of objects`() throws {
        let id = WireID()
        let json = try encoded([id: 1])
        #expect(json == #"{"\#(id)":1}"#)
        #expect(try decoded([WireID: Int].self, json) == [id: 1])
    }

    @Test(arguments: [
        "", "x", "0195f3abc0de7abc8def0123456789ab", "{0195f3ab-c0de-7abc-8def-0123456789ab}",
        "0195f3ab-c0de-7abc-8def-0123456789a", "0195f3ab-c0de-7abc-8def-0123456789abc",
        "0195f3ab-c0de-7abc-8def-0123456789ag", "0195f3abc-0de-7abc-8def-0123456789ab",
        "0195f3ab-c0de-7abc-8def-0123456789é", "0195f3ab\u{0}c0de-7abc-8def-0123456789ab",
    ])
    func `what is no UUID is refused`(text: String) throws {
        #expect(WireID(text) == nil)
        let json = try encoded([text])
        #expect(throws: DecodingError.self) { try decoded([WireID].self, json) }
    }
}
