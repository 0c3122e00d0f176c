import Foundation
import HTTPTypes
import ParleyWire
import TestSupport

@testable import API

extension PresenceWalk {
    /// Some type, stop and send for a few seconds, each request at any server.
    func chat() async throws {
        guard let conversation = pick(model.conversations) else { return }
        let writers = inOrder.filter { model.maySend($0.person, in: conversation) }
        guard !writers.isEmpty else { return }
        try await step("people chat") {
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                guard let device = pick(writers), let one = pick(running) else { return }
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5: try await type(true, device, in: conversation, at: one)
                case 5..<8: try await type(false, device, in: conversation, at: one)
                default: try await send(device, in: conversation, at: one)
                }
                if random.chance(50) { await turn(Double(Int.random(in: 1...6, using: &random)) / 2) }
            }
        }
    }

    private func type(
        _ isTyping: Bool,
        _ device: Device,
        in conversation: PresenceModel.Conversation,
        at one: Running
    ) async throws {
        note("\(name(device)) types \(isTyping) at \(one.id)")
        let path = "conversations/\(WireID(conversation.id))/typing"
        try await ask(.post, path, #"{"typing": \#(isTyping)}"#, by: device, at: one)
        let receivers = model.types(isTyping, device.person, in: conversation.id, at: one.id)
        for place in watching.indices {
            let watched = watching[place]
            guard receivers.contains(watched.server), watched.device.person != device.person,
                conversation.members.contains(watched.device.person)
            else { continue }
            let event = StreamEvent.TypingUpdated(
                conversationId: WireID(conversation.id),
                userId: WireID(device.person),
                typing: isTyping,
                expiresInMs: isTyping ? 3_000 : 0
            )
            watching[place].typing.append(event)
        }
    }

    private func send(
        _ device: Device,
        in conversation: PresenceModel.Conversation,
        at one: Running
    ) async throws {
        note("\(name(device)) sends")
        let path = "conversations/\(WireID(conversation.id))/messages/\(WireID())"
        try await ask(.put, path, #"{"text": "Hello"}"#, by: device, at: one)
        model.sent(by: device.person, in: conversation.id)
        // The other server hears of it by the log.
        try await waitUntilCurrent()
    }
}
