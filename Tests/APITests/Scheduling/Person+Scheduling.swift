import Foundation
import HTTPTypes
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import API

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let time = Mutex(Timestamp.truncate(Date()))

    var now: Date { time.withLock { $0 } }
    var command: CommandClock { CommandClock(now: { self.now }) }

    /// As it travels on the wire, to be compared.
    func later(by seconds: TimeInterval) -> Date { Timestamp.truncate(now + seconds) }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

extension TestServer {
    /// Sends what is due, as this server's process would.
    ///
    /// - Returns: when the next is due, as it travels on the wire.
    @discardableResult
    func sendDue() async throws -> Date? {
        try await dependencies.scheduled.sendDue().map { Timestamp.truncate($0) }
    }
}

extension Person {
    /// Schedules a message.
    @discardableResult
    func schedule(
        _ text: String,
        in conversation: WireID,
        at time: Date,
        id: WireID = WireID(),
        _ more: [String: JSONValue] = [:]
    ) async throws -> Answer {
        SecretWatch.add(text)
        var body: [String: JSONValue] = [
            "conversationId": .string("\(conversation)"), "sendAt": .string(Timestamp.format(time)),
            "text": .string(text),
        ]
        body.merge(more) { $1 }
        return try await send(.put, "/v1/scheduled/\(id)", body: .object(body))
    }

    func scheduled(_ query: String = "") async throws -> ListPage<ScheduledMessage> {
        try await get(ListPage<ScheduledMessage>.self, "/v1/scheduled\(query)")
    }

    func withdraw(_ id: WireID) async throws -> Answer {
        try await send(.delete, "/v1/scheduled/\(id)")
    }

    /// The texts of a conversation's messages, by the log: a send is as it was a moment ago.
    func texts(in conversation: WireID) async throws -> [String?] {
        let answer = try await send(
            .post,
            "/v1/receipts",
            body: .object([
                "receipts": .array([
                    .object(["conversationId": .string("\(conversation)"), "deliveredSeq": .number(0)])
                ])
            ])
        )
        let path = "/v1/conversations/\(conversation)/messages?limit=200"
        return try await get(HistoryPage.self, path, after: answer).items.filter { $0.kind == .text }.map(\.text)
    }
}
