import Foundation
import ParleyWire

extension GroupReplay {
    private func messagePath(_ number: Int) -> String { "\(path)/messages/\(group.sends[number].id)" }

    func edit(_ number: Int, to text: String) async throws -> String? {
        let author = stage.account(group.sends[number].sender)
        let answer = try await author.send(.patch(messagePath(number), PatchMessageRequest(text: text)))
        let message = try? answer.decode(Message.self)
        stage.report.compare(
            .edits,
            answer.status == 200 && message?.text?.isIdentical(to: text) == true && message?.editedAt != nil,
            "\(group.name) \(group.sends[number].id) is edited: \(answer.summary)"
        )
        return answer.position
    }

    func delete(_ number: Int, by person: PersonNumber) async throws -> String? {
        let answer = try await stage.account(person).send(.delete(messagePath(number)))
        stage.report.compare(
            .deletions,
            answer.status == 204,
            "\(group.name) \(group.sends[number].id) is deleted by \(stage.name(person)): \(answer.summary)"
        )
        return answer.position
    }

    func react(_ number: Int, _ person: PersonNumber, _ emoji: String) async throws -> String? {
        let answer = try await stage.account(person).send(.put(reactionPath(number, emoji)))
        let message = try? answer.decode(Message.self)
        stage.report.compare(
            .reactions,
            answer.status == 200 && message?.reactions.contains { $0.emoji == emoji && $0.mine } == true,
            "\(group.name) \(group.sends[number].id): \(stage.name(person)) gives \(emoji): \(answer.summary)"
        )
        return answer.position
    }

    func unreact(_ number: Int, _ person: PersonNumber, _ emoji: String) async throws -> String? {
        let answer = try await stage.account(person).send(.delete(reactionPath(number, emoji)))
        stage.report.compare(
            .reactions,
            answer.status == 204,
            "\(group.name) \(group.sends[number].id): \(stage.name(person)) takes \(emoji) back: \(answer.summary)"
        )
        return answer.position
    }

    private func reactionPath(_ number: Int, _ emoji: String) -> String {
        "\(messagePath(number))/reactions/\(emoji.queryEncoded)"
    }

    /// The owner pins for all.
    func pin(_ number: Int) async throws -> String? {
        let answer = try await stage.account(group.owner).send(.put("\(messagePath(number))/pin"))
        let message = try? answer.decode(Message.self)
        stage.report.compare(
            .pins,
            answer.status == 200 && message?.pinnedBy == stage.userID(group.owner),
            "\(group.name) \(group.sends[number].id) is pinned: \(answer.summary)"
        )
        return answer.position
    }

    func unpin(_ number: Int) async throws -> String? {
        let answer = try await stage.account(group.owner).send(.delete("\(messagePath(number))/pin"))
        stage.report.compare(
            .pins,
            answer.status == 204,
            "\(group.name) \(group.sends[number].id) is pinned no more: \(answer.summary)"
        )
        return answer.position
    }

    func mute(_ person: PersonNumber, until time: Date?) async throws -> String? {
        let body: [String: JSONValue] = ["mutedUntil": time.map { .string(Timestamp.format($0)) } ?? .null]
        let answer = try await stage.account(person).send(.patch("\(path)/me", body))
        let view = try? answer.decode(MemberSettings.self)
        stage.report.compare(
            .mutings,
            answer.status == 200 && view?.mutedUntil == time,
            "\(group.name) \(stage.name(person)) mutes until \(time.map(Timestamp.format).text): \(answer.summary)"
        )
        return answer.position
    }
}
