import EventSourcing
import EventStore
import Foundation
import Messaging

/// An event of conversations that only a later program knows, whose log format is one above today's.
struct LaterEvent: DomainEvent, Equatable {
    static let kinds = [
        EventKind("conversationPinned", in: .conversation, format: EventCatalog.messaging.format + 1)
    ]

    let note: String

    var kind: EventKind { Self.kinds[0] }
    var subject: UUID? { nil }

    init(note: String) {
        self.note = note
    }

    func encodePayload() throws -> [UInt8] { Array(#"{"note":"\#(note)"}"#.utf8) }
    func encodePersonal() throws -> [UInt8]? { nil }

    init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws {
        struct Payload: Decodable { let note: String }
        note = try JSONDecoder().decode(Payload.self, from: Data(content.payload)).note
    }
}

/// The rules of what only a later program can do: all is allowed.
enum LaterDecider: Decider {
    typealias Rejection = Never

    static let name = "later"
    static let snapshotVersion = 1
    static let streams = [AggregateStream(.conversation, isOrdered: true)]
    static let initialState = 0

    static func decide(_ command: String, given state: Int) -> [LaterEvent] {
        [LaterEvent(note: command)]
    }

    static func evolve(_ state: inout Int, _ event: LaterEvent) {
        state += 1
    }
}

extension EventCatalog {
    /// What the later program reads.
    static let later = EventCatalog([ConversationEvent.self, UserEvent.self, LaterEvent.self])
}

extension TestStore {
    /// Does what only the later program can do, once all who live can read it.
    func pin(_ conversation: UUID, note: String, by actor: UUID) async throws -> Handled<Int> {
        try await store.handle(
            note,
            of: LaterDecider.self,
            on: conversation,
            context: CommandContext(commandID: UUID(), actor: actor, now: Date()),
            answer: { $0 }
        )
    }
}
