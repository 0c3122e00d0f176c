import Foundation
import ParleyWire

extension GroupReplay {
    func join(_ person: PersonNumber, step: Step) async throws -> String? {
        let key = derivation.id("key/\(step.id)", at: Date(timeIntervalSince1970: 0))
        let answer = try await stage.account(person).send(.post("\(path)/join", idempotencyKey: key))
        let joined = try? answer.decode(Conversation.self)
        stage.report.compare(
            .memberships,
            answer.isSuccess && joined?.id == group.conversationID,
            "\(group.name): \(stage.name(person)) joins: \(answer.summary)"
        )
        // Joining sets both marks to the head, and the answer never lags.
        if answer.isSuccess, let joined, !expected.isMember(stage.userID(person)) {
            let head = expected.headSeq
            let marks = (joined.me.deliveredSeq, joined.me.readSeq, joined.unreadCount, joined.headSeq)
            stage.report.compare(
                .memberships,
                marks == (head, head, 0, head),
                "\(group.name): \(stage.name(person)) joins at \(head): marks, unread and head are \(marks)"
            )
        }
        return answer.position
    }

    func add(_ person: PersonNumber) async throws -> String? {
        let target = "\(path)/participants/\(stage.userID(person))"
        let answer = try await stage.account(group.owner).send(.put(target, PutParticipantRequest()))
        let added = try? answer.decode(Participant.self)
        stage.report.compare(
            .memberships,
            answer.isSuccess && added?.userId == stage.userID(person) && added?.role == .member,
            "\(group.name): \(stage.name(person)) is added: \(answer.summary)"
        )
        return answer.position
    }

    func remove(_ person: PersonNumber) async throws -> String? {
        let target = "\(path)/participants/\(stage.userID(person))"
        let answer = try await stage.account(group.owner).send(.delete(target))
        stage.report.compare(
            .memberships,
            answer.status == 204 || answer.status == 404 && answer.attempts > 1,
            "\(group.name): \(stage.name(person)) is removed: \(answer.summary)"
        )
        return answer.position
    }

    func leave(_ person: PersonNumber, step: Step) async throws -> String? {
        let key = derivation.id("key/\(step.id)", at: Date(timeIntervalSince1970: 0))
        let answer = try await stage.account(person).send(.post("\(path)/leave", idempotencyKey: key))
        stage.report.compare(
            .memberships,
            answer.isSuccess || answer.status == 403 && answer.attempts > 1,
            "\(group.name): \(stage.name(person)) leaves: \(answer.summary)"
        )
        return answer.position
    }

    func rename(_ person: PersonNumber, to name: String) async throws -> String? {
        let answer = try await stage.account(person).send(.patch("/v1/me", PatchMeRequest(displayName: .set(name))))
        let me = try? answer.decode(Me.self)
        stage.report.compare(
            .renames,
            answer.status == 200 && me?.displayName == name,
            "\(stage.name(person)) becomes \(name): \(answer.summary) \((me?.displayName).text)"
        )
        if let me { await stage.listeners[person]?.patched(me) }
        renamed(at: answer.position)
        // A person's stream is not the group's: its token says nothing about the conversation.
        return nil
    }

    func renameGroup(to name: String) async throws -> String? {
        let answer = try await stage.account(group.owner).send(
            .patch(path, PatchGroupRequest(groupName: .set(name)))
        )
        let conversation = try? answer.decode(Conversation.self)
        stage.report.compare(
            .renames,
            answer.status == 200 && conversation?.groupName == name,
            "\(group.name) becomes \(name): \(answer.summary) \((conversation?.groupName).text)"
        )
        return answer.position
    }
}
