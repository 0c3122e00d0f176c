import TestSupport
import Testing

/// What is tried once more, after the walk, until it was done often enough.
extension Walk {
    mutating func complete() async throws {
        for command in WalkCommand.allCases {
            for _ in 0..<WalkTally.mostTries where tally.isShort(of: command) {
                clock.advance(by: 0.125)
                try await attempt(command)
            }
        }
        let shortfalls = tally.shortfalls.joined(separator: ", ")
        #expect(shortfalls.isEmpty, "\(shortfalls)")
    }

    private mutating func attempt(_ command: WalkCommand) async throws {
        switch command {
        case .startGroup: try await startGroup(showsAll: random.chance(50))
        case .startDirect: try await startDirect()
        case .rename, .changeIcon, .changeHistoryVisibility, .permit, .keep, .changeJoinPolicy, .slowDown:
            try await changeGroup(command)
        case .keepShortly: try await keepShortly()
        case .addParticipant, .changeRole: try await putParticipant(hasRole: command == .changeRole)
        case .removeParticipant: try await removeParticipant()
        case .leave: try await leave()
        case .join:
            // Where everybody is in each open group, or none is open.
            if random.chance(20) { try await changeGroup(.changeJoinPolicy) }
            if random.chance(10) { try await leave() }
            try await join()
        case .makeInvite: try await makeInvite()
        case .previewInvite, .joinByInvite: try await invite()
        case .endInvite: random.chance(50) ? try await makeInvite() : try await endInvite()
        case .changeView, .clear: try await changeOwnView()
        case .markUnread: try await markUnread()
        case .advanceReceipts: try await advanceReceipts()
        case .send, .sendAgain: try await send()
        case .sendSeveral: try await sendSeveral()
        case .edit: try await edit()
        case .deleteForAll, .hide: try await delete()
        case .forward: try await forward()
        case .react, .unreact: try await react()
        case .pin, .unpin: try await pin()
        case .star, .unstar: try await star()
        case .schedule, .reschedule, .unschedule: try await schedule()
        case .sendScheduled:
            // Of those that are due, some will be refused.
            try await schedule()
            try await passTime()
        case .block, .unblock: try await block()
        case .report: try await report()
        case .changeProfile, .showReading: try await changeProfile()
        case .search, .read: try await read()
        }
    }
}
