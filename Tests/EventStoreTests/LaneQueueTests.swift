import EventSourcing
import Foundation
import Messaging
import Testing

@testable import EventStore

/// What waits in front of a lane, and for how long.
@Suite(.timeLimit(.minutes(10))) struct LaneQueueTests {
    private let queue = LaneQueue(capacity: 100)

    private func command(_ command: ConversationCommand) -> PendingCommand {
        PendingCommand(
            CommandRequest<ConversationDecider>(command: command, observe: { _ in }),
            to: UUID(),
            partition: 0,
            context: CommandContext(commandID: UUID(), actor: nil, now: Date()),
            key: nil,
            generation: 0,
            deadline: .now + .seconds(3_600),
            doubt: CommandDoubt(),
            resume: { _ in }
        )
    }

    private var receipt: PendingCommand {
        command(.advanceReceipts([ReceiptAdvance(person: UUID(), deliveredSeq: nil, readSeq: 1)]))
    }

    private var leave: PendingCommand { command(.leave(person: UUID())) }

    @Test func `what comes together is taken together, in order`() async throws {
        let commands = [receipt, leave, receipt]
        for command in commands { #expect(queue.put(command)) }
        let taken = try #require(await queue.take(limit: 10))
        #expect(taken.elementsEqual(commands, by: ===))
    }

    @Test func `receipts gather where many come, and are taken after a while`() async throws {
        for _ in 0..<2 { #expect(queue.put(receipt)) }
        #expect(await queue.take(limit: 10)?.count == 2)
        // One that comes now is given some time; so is each after it, but none more than the first.
        let first = receipt
        #expect(queue.put(first))
        let taking = Task { [queue] in await queue.take(limit: 10) }
        #expect(try #require(await taking.value).first === first)
    }

    @Test func `a receipt that comes alone is due at once, when the last one has waited for nobody`() async throws {
        #expect(queue.put(receipt) && queue.isDue)
        #expect(await queue.take(limit: 10)?.count == 1)
        for _ in 0..<2 { #expect(queue.put(receipt)) }
        #expect(await queue.take(limit: 10)?.count == 2)
        // The lane waits already, as it does when nothing comes.
        let taking = Task { [queue] in await queue.take(limit: 10) }
        await Task.yield()
        #expect(queue.put(receipt))
        #expect(await taking.value?.count == 1)
        #expect(queue.put(receipt) && queue.isDue)
    }

    private func expectTake(
        _ state: inout LaneQueue.State,
        limit: Int,
        hasRested: Bool,
        at now: ContinuousClock.Instant,
        _ commands: [PendingCommand],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let taken = state.take(limit: limit, hasRested: hasRested, at: now)
        #expect(taken.map(ObjectIdentifier.init) == commands.map(ObjectIdentifier.init), sourceLocation: location)
    }

    @Test func `where the lane has rested, a command goes alone, and what gathers keeps its time`() throws {
        var state = LaneQueue.State()
        let start = ContinuousClock.now
        for _ in 0..<2 { state.append(receipt, at: start) }
        _ = state.take(limit: 10, hasRested: true, at: start)
        let (gathering, alone, next) = (receipt, leave, leave)
        for command in [gathering, alone, next] { state.append(command, at: start) }
        expectTake(&state, limit: 1, hasRested: true, at: start, [alone])
        expectTake(&state, limit: 10, hasRested: true, at: start, [next])
        let due = try #require(state.dueAt)
        #expect(start < due && !state.isDue(at: start))
        expectTake(&state, limit: 10, hasRested: true, at: due, [gathering])
        #expect(state.line.isEmpty && state.dueAt == nil)
    }

    @Test func `where the lane was busy, a command takes along what gathers`() {
        var state = LaneQueue.State()
        let start = ContinuousClock.now
        for _ in 0..<2 { state.append(receipt, at: start) }
        _ = state.take(limit: 10, hasRested: true, at: start)
        let commands = [receipt, leave]
        for command in commands { state.append(command, at: start) }
        expectTake(&state, limit: 10, hasRested: false, at: start, commands)
        #expect(state.line.isEmpty && state.dueAt == nil)
    }

    @Test func `what gathers is taken before the end`() async throws {
        for _ in 0..<2 { #expect(queue.put(receipt)) }
        #expect(await queue.take(limit: 10)?.count == 2)
        #expect(queue.put(receipt))
        queue.close()
        #expect(!queue.put(receipt))
        #expect(await queue.take(limit: 10)?.count == 1)
        #expect(await queue.take(limit: 10) == nil)
    }

    @Test func `what joins a round is taken out of the line, due or not, and the rest stays in order`() async throws {
        for _ in 0..<2 { #expect(queue.put(receipt)) }
        #expect(await queue.take(limit: 10)?.count == 2)
        // Given time to gather.
        let gathering = receipt
        #expect(queue.put(gathering))
        #expect(queue.take(where: { $0 === gathering }, limit: 0).isEmpty)
        #expect(queue.take(where: { $0 === gathering }, limit: 1).first === gathering)
        #expect(!queue.isDue)
        let commands = [leave, leave, leave, leave]
        for command in commands { #expect(queue.put(command)) }
        let joining = queue.take(where: { $0 !== commands[0] }, limit: 2)
        #expect(joining.elementsEqual(commands[1...2], by: ===))
        #expect(queue.isDue)
        #expect(try #require(await queue.take(limit: 10)).elementsEqual([commands[0], commands[3]], by: ===))
    }

    @Test func `no more is taken than asked for, and the rest the next time`() async throws {
        for _ in 0..<5 { #expect(queue.put(receipt)) }
        #expect(await queue.take(limit: 3)?.count == 3)
        #expect(await queue.take(limit: 3)?.count == 2)
    }

    @Test func `what waited for its aggregate gathers, too, and nobody else has to come for it`() async throws {
        for _ in 0..<2 { #expect(queue.put(receipt)) }
        let held = try #require(await queue.take(limit: 10))
        let key = try #require(held.first?.aggregate)
        #expect(queue.hold(held, for: key).isEmpty)
        let taking = Task { [queue] in await queue.take(limit: 10) }
        for _ in 0..<100 { await Task.yield() }
        queue.release(key)
        #expect(await taking.value?.count == 2)
    }
}
