import Foundation
import ParleyWire
import Testing

struct MentionTests {
    @Test func `a mention is an id or everyone, in one text`() throws {
        let id = WireID()
        let mentions = try decoded([Mention].self, #"["@all", "\#(id.uuid.uuidString)"]"#)
        #expect(mentions == [.all, .user(id)])
        #expect(mentions.map(\.userID) == [nil, id])
        #expect(try encoded(mentions) == #"["@all","\#(id)"]"#)
    }

    @Test(arguments: ["@here", "@ALL", "all", ""])
    func `what only a later version knows is kept as it is`(text: String) throws {
        let mentions = try decoded([Mention].self, #"["\#(text)"]"#)
        #expect(mentions == [.other(text)])
        #expect(mentions.map(\.userID) == [nil])
        #expect(try encoded(mentions) == #"["\#(text)"]"#)
    }

    @Test func `everyone comes before people`() {
        let (one, other) = (WireID(), WireID())
        let people = [other, one].map(\.uuid)
        #expect([Mention](people, all: true) == [.all, .user(other), .user(one)])
        #expect([Mention](people, all: false) == [.user(other), .user(one)])
    }
}
