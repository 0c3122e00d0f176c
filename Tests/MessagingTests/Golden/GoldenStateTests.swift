import EventSourcing
import Foundation
import Messaging
import Testing

@Suite struct `A stored state` {
    @Test func `of a conversation has its shape by its version`() throws {
        try expect(GoldenState<Conversation>.all, of: ConversationDecider.self)
    }

    @Test func `of a person has its shape by its version`() throws {
        try expect(GoldenState<User>.all, of: UserDecider.self)
    }

    private func expect<D: Decider>(_ samples: [GoldenState<D.State>], of decider: D.Type) throws
    where D.State: Equatable {
        let versions = samples.map(\.version)
        #expect(versions == versions.sorted() && Set(versions).count == versions.count)
        let golden = try #require(
            samples.last { $0.version == D.snapshotVersion },
            "\(D.name) has a new version of its state: add golden bytes of it to GoldenState"
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = String(decoding: try encoder.encode(golden.state), as: UTF8.self)
        #expect(stored == golden.bytes, "the state has another shape: raise the version of \(D.name)'s state")
        for name in properties(of: golden.state).keys {
            let isStored = golden.bytes.contains("\"\(name)\":")
            #expect(isStored, "\(name) is new: raise the version of \(D.name)'s state, and set it in the sample")
        }
        let read = try? JSONDecoder().decode(D.State.self, from: Data(golden.bytes.utf8))
        #expect(read == golden.state, "stored states are misread: raise the version of \(D.name)'s state")
    }
}
