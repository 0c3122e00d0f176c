import Foundation
import Messaging
import Migrations
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct DeterminismTests {
    @Test(arguments: UInt64(1)...20)
    func `the tables depend on the events alone, not on where batches end`(seed: UInt64) async throws {
        let history = RandomHistory(seed: seed, steps: 500)
        try await history.log.project(batch: { 1 })
        let database = TestDatabase.current
        try await database.administrator.withConnection { connection in
            try await ReadSchemaMaker(migrations: Migrations.readModels).make(.next, on: connection)
        }
        var random = SeededGenerator(seed: seed &* 31)
        try await history.log.project(into: .next, batch: { 1 + random.below(90) })
        let (one, other) = try await database.pool.withConnection { connection in
            (
                try await TableDigest.read(.live, on: connection),
                try await TableDigest.read(.next, on: connection)
            )
        }
        #expect(one == other)
        let empty = one.filter { $0.rows == 0 }.map(\.table)
        #expect(empty == [], "a history that leaves a table empty shows little")
        let parked = try await database.pool.query(
            "SELECT error FROM read_live.parked UNION ALL SELECT error FROM read_next.parked"
        )
        #expect(parked.isEmpty)
        let verification = Verification(pool: database.pool, partitions: history.log.partitions, includingLog: false)
        #expect(try await verification.run().findings == [])
    }

    @Test(arguments: UInt64(1)...10)
    func `partitions that are written together give the same tables`(seed: UInt64) async throws {
        let history = RandomHistory(seed: seed)
        try await history.log.project(batch: { 40 })
        let database = TestDatabase.current
        try await database.administrator.withConnection { connection in
            try await ReadSchemaMaker(migrations: Migrations.readModels).make(.next, on: connection)
        }
        var random = SeededGenerator(seed: seed &* 13)
        let rounds = try await history.log.projectTogether(into: .next, batch: { 1 + random.below(30) })
        #expect(rounds.together > 0)
        #expect(rounds.apart == 0)
        let (apart, together) = try await database.pool.withConnection { connection in
            (
                try await TableDigest.read(.live, on: connection),
                try await TableDigest.read(.next, on: connection)
            )
        }
        #expect(apart == together)
    }

    @Test(arguments: UInt64(1)...20)
    func `without the keys of the erased, a rebuild gives the same tables`(seed: UInt64) async throws {
        let history = RandomHistory(seed: seed, steps: 600)
        try #require(!history.erased.isEmpty)
        try await history.log.project(batch: { 40 })
        let database = TestDatabase.current
        try await database.administrator.withConnection { connection in
            try await ReadSchemaMaker(migrations: Migrations.readModels).make(.next, on: connection)
        }
        var random = SeededGenerator(seed: seed &* 7)
        try await history.log.withoutKeys(of: history.erased).project(into: .next, batch: { 1 + random.below(90) })
        let (live, rebuilt) = try await database.pool.withConnection { connection in
            (
                try await TableDigest.read(.live, on: connection),
                try await TableDigest.read(.next, on: connection)
            )
        }
        #expect(live == rebuilt)
        let texts = try await database.pool.query(
            """
            SELECT count(*) FILTER (WHERE m.sender_id = ANY (\(Array(history.erased)))) AS erased, count(*) AS all
            FROM read_live.messages m WHERE m.text IS NOT NULL
            """
        )
        #expect(try texts.first?.decode("erased", as: Int.self) == 0)
        #expect(try texts.first?.decode("all", as: Int.self) ?? 0 > 0)
        let hidden = try await database.pool.query(
            """
            SELECT FROM read_live.memberships m
            WHERE m.user_id = ANY (\(Array(history.erased))) AND m.hidden_seq IS NOT NULL
            """
        )
        #expect(hidden.isEmpty)
    }

    @Test(arguments: UInt64(100)...112)
    func `queries answer what counting by hand gives`(seed: UInt64) async throws {
        let history = RandomHistory(seed: seed)
        var random = SeededGenerator(seed: seed)
        try await history.log.project(batch: { 1 + random.below(40) })
        let oracle = Oracle(history.log)
        let queries = Queries(pool: TestDatabase.current.pool, partitions: history.log.partitions)
        for person in history.everyone {
            try await expectList(of: person, oracle, queries)
            try await expectBlocks(of: person, oracle, queries)
            for (id, talk) in oracle.talks { try await expectTalk(id, talk, of: person, queries) }
        }
    }

    private func expectBlocks(of person: UUID, _ oracle: Oracle, _ queries: Queries) async throws {
        let newestFirst = (oracle.blocked[person] ?? [:]).sorted { $0.value > $1.value }
        let page = try await queries.blocks(of: person, after: nil, limit: 50)
        #expect(page.items.map(\.userId.uuid) == newestFirst.map(\.key))
        #expect(page.items.map(\.blockedAt) == newestFirst.map(\.value))
    }

    private func expectList(of person: UUID, _ oracle: Oracle, _ queries: Queries) async throws {
        let current = oracle.talks.filter { talk in
            talk.value.span(of: person).map { $0.toSeq == nil && !talk.value.isCleared($0) } ?? false
        }
        let newestFirst = current.sorted { $0.value.activityAt > $1.value.activityAt }
        let page = try await queries.conversations(of: person, filter: nil, matching: nil, after: nil, limit: 50)
        #expect(page.items.map(\.id.uuid) == newestFirst.map(\.key))
        let unread = try await queries.conversations(of: person, filter: .unread, matching: nil, after: nil, limit: 50)
        let withUnread = newestFirst.filter {
            !$0.value.unread(of: person).isEmpty || $0.value.span(of: person)?.isMarkedUnread == true
        }
        #expect(unread.items.map(\.id.uuid) == withUnread.map(\.key))
        try await expectViews(of: person, newestFirst, queries)
        let total = current.values.reduce(0) { $0 + $1.unread(of: person).count }
        let unmuted = current.values.filter { talk in
            talk.span(of: person)?.view.mutedUntil.map { $0 <= Date() } ?? true
        }
        let mentions = current.values.reduce(0) { $0 + $1.unread(of: person).count { $0.mentions(person) } }
        let totals = TotalUnread(
            all: total,
            unmuted: unmuted.reduce(0) { $0 + $1.unread(of: person).count },
            mentions: mentions
        )
        #expect(try await queries.totalUnread(of: person) == totals)
        let states = try await queries.unread(
            oracle.talks.keys.map { UnreadKey(user: person, conversation: $0) }
        )
        #expect(states.count == oracle.talks.count)
        for state in states {
            let talk = try #require(oracle.talks[state.key.conversation])
            #expect(state.unreadCount == talk.unread(of: person).count)
            #expect(state.firstUnreadSeq == talk.unread(of: person).first?.seq)
            #expect(state.mentionCount == talk.unread(of: person).count { $0.mentions(person) })
            #expect(state.total == totals)
        }
    }

    private func expectViews(
        of person: UUID,
        _ newestFirst: [(key: UUID, value: Oracle.Talk)],
        _ queries: Queries
    ) async throws {
        func list(_ filter: ConversationFilter) async throws -> [UUID] {
            var found: [UUID] = []
            var cursor: String?
            repeat {
                // Page by page, so that the order of each is gone on with.
                let page = try await queries.conversations(
                    of: person,
                    filter: filter,
                    matching: nil,
                    after: cursor,
                    limit: 1
                )
                found += page.items.map(\.id.uuid)
                cursor = page.nextCursor
            } while cursor != nil
            return found
        }
        let seen = newestFirst.compactMap { talk in talk.value.span(of: person).map { (talk: talk, span: $0) } }
        #expect(try await list(.archived) == seen.filter { $0.talk.value.isArchived($0.span) }.map(\.talk.key))
        let pinned = seen.compactMap { seen in seen.span.view.pinnedAt.map { (at: $0, id: seen.talk.key) } }
            .sorted { ($0.at, "\(WireID($0.id))") > ($1.at, "\(WireID($1.id))") }
        #expect(try await list(.pinned) == pinned.map(\.id))
        let mentioned = seen.filter { seen in
            seen.talk.value.unread(of: person).contains { $0.mentions(person) }
        }
        #expect(try await list(.mentions) == mentioned.map(\.talk.key))
    }

    private func expectTalk(_ id: UUID, _ whole: Oracle.Talk, of person: UUID, _ queries: Queries) async throws {
        let talk = whole.seen(by: person)
        let conversation = try await queries.conversation(id, for: person)
        let history = try await queries.history(of: id, for: person, at: .newest, limit: 200)
        guard let span = talk.span(of: person) else {
            #expect(conversation == nil)
            #expect(history == nil)
            return
        }
        let seen = try #require(conversation)
        #expect(seen.groupName == talk.group.name)
        #expect(seen.retentionSeconds == talk.group.retention)
        #expect(seen.slowModeSeconds == (talk.kind == .group ? talk.group.slowMode ?? 0 : nil))
        #expect(seen.headSeq == talk.ceiling(of: person))
        #expect(seen.unreadCount == talk.unread(of: person).count)
        #expect(seen.firstUnreadSeq == talk.unread(of: person).first?.seq)
        #expect(seen.mentionCount == whole.unread(of: person).count { $0.mentions(person) })
        let last = talk.visible(to: person).last
        #expect(seen.lastMessage?.id.uuid == last?.messageID)
        #expect(seen.lastMessage?.text == last?.text)
        if let last, let hiddenAt = talk.hiddenAt(last.seq, by: person) {
            #expect(seen.lastMessage?.deletedAt == hiddenAt)
        }
        #expect(seen.me.readSeq == span.read)
        #expect(seen.me.deliveredSeq == span.delivered)
        #expect(seen.me.role.rawValue == span.role.rawValue)
        if talk.kind == .group {
            let permissions = try #require(seen.permissions)
            #expect(permissions.send.rawValue == talk.group.permissions.send.rawValue)
            #expect(permissions.addMembers.rawValue == talk.group.permissions.addMembers.rawValue)
            #expect(permissions.changeInfo.rawValue == talk.group.permissions.changeInfo.rawValue)
            #expect(permissions.pin.rawValue == talk.group.permissions.pin.rawValue)
        } else {
            #expect(seen.permissions == nil)
        }
        #expect(seen.me.mutedUntil == span.view.mutedUntil)
        #expect(seen.me.notificationLevel.rawValue == span.view.level.rawValue)
        #expect(seen.me.archived == talk.isArchived(span))
        #expect(seen.me.pinned == (span.view.pinnedAt != nil))
        #expect(seen.me.pinnedAt == span.view.pinnedAt)
        #expect(seen.me.cleared == talk.isCleared(span))
        #expect(seen.me.markedUnread == span.isMarkedUnread)
        if span.toSeq == nil {
            let members = talk.spans.filter { $0.toSeq == nil }
            #expect(Set(seen.participantIds ?? []) == Set(members.map { WireID($0.person) }))
            #expect(seen.participantCount == members.count)
        }
        let all = try #require(history).items
        #expect(all.map(\.id.uuid) == talk.history(of: person))
        try await HistoryWalk(queries: queries, conversation: id, person: person).expect(all)
        for message in all where message.kind == .system {
            let systemMessage = try #require(talk.systemMessages[message.id.uuid])
            #expect(message.systemData == SystemData(systemMessage))
            #expect(message.seq == nil && message.text == nil && message.status == nil && message.recipientCount == nil)
            #expect(message.senderId.uuid == systemMessage.actor)
        }
        let items = all.filter { $0.kind != .system }
        let pins = try await queries.pins(of: id, for: person, after: nil, limit: 50)
        let pinned = talk.pins.sorted { $0.value.position > $1.value.position }.map(\.key)
        #expect(pins?.items.map(\.seq) == pinned.filter { seq in items.contains { $0.seq == seq } })
        #expect(items.map(\.seq) == talk.visible(to: person).map(\.seq))
        for (message, sent) in zip(items, talk.visible(to: person)) {
            #expect(message.text == sent.text)
            #expect(message.mentions == [Mention](sent.mentions, all: sent.mentionsAll))
            #expect(message.forwardedFrom?.hops ?? 0 == sent.hops)
            #expect(message.attachments.map(\.id) == sent.attachments.map { WireID($0.id) })
            try await expectChanges(of: message, sent, in: id, talk, for: person, queries)
            try await expectReceipts(of: message, sent, in: id, talk, for: person, queries)
        }
    }

    private func expectChanges(
        of message: Message,
        _ sent: MessageSent,
        in id: UUID,
        _ talk: Oracle.Talk,
        for person: UUID,
        _ queries: Queries
    ) async throws {
        #expect(message.editedAt == talk.editedAt[sent.seq])
        #expect(message.pinnedAt == talk.pins[sent.seq]?.at)
        #expect(message.pinnedBy?.uuid == talk.pins[sent.seq]?.by)
        #expect(message.deletedBy?.uuid == talk.deletedBy[sent.seq])
        let hiddenAt = talk.hiddenAt(sent.seq, by: person)
        #expect(message.deletedForMe == hiddenAt.map { _ in true })
        if let hiddenAt { #expect(message.deletedAt == hiddenAt) }
        #expect((message.deletedAt == nil) == (!talk.deleted.contains(sent.seq) && hiddenAt == nil))
        #expect(message.expiresAt == talk.expiresAt[sent.seq])
        if let revision = talk.revisions[sent.seq] { #expect(message.revision == revision) }
        let versions = try await queries.versions(of: sent.messageID, in: id, for: person, after: nil, limit: 200)
        #expect(versions?.items.map(\.text) == talk.versions[sent.seq] ?? [])
        let given = talk.reactions[sent.seq] ?? []
        #expect(Set(message.reactions.map(\.emoji)) == Set(given.map(\.emoji)))
        for reaction in message.reactions {
            let people = given.filter { $0.emoji == reaction.emoji }.map(\.person)
            #expect(reaction.userIds.map(\.uuid) == people)
            #expect(reaction.count == people.count)
            #expect(reaction.mine == people.contains(person))
        }
    }

    private func expectReceipts(
        of message: Message,
        _ sent: MessageSent,
        in id: UUID,
        _ talk: Oracle.Talk,
        for person: UUID,
        _ queries: Queries
    ) async throws {
        guard sent.sender == person else {
            #expect(message.status == nil && message.recipientCount == nil && message.readBy == nil)
            return
        }
        let recipients = talk.recipients(of: sent)
        // Who has left is told nothing that came after.
        let end = talk.span(of: person)?.leftAt ?? .distantFuture
        func shown(_ time: Date?) -> Date? { time.flatMap { $0 <= end ? $0 : nil } }
        let delivered = recipients.filter { shown($0.deliveredAt[sent.seq]) != nil }
        let isShown = !talk.withoutReading.contains(person)
        let read = recipients.filter { isShown && shown($0.readAt[sent.seq]) != nil }
        #expect(message.recipientCount == recipients.count)
        #expect(message.deliveredCount == delivered.count)
        #expect(message.readCount == read.count)
        #expect(
            message.deliveredTo
                == Dictionary(
                    uniqueKeysWithValues: delivered.map {
                        (WireID($0.person), $0.deliveredAt[sent.seq] ?? .distantPast)
                    }
                )
        )
        #expect(
            message.readBy
                == Dictionary(
                    uniqueKeysWithValues: read.map { (WireID($0.person), $0.readAt[sent.seq] ?? .distantPast) }
                )
        )
        let status: MessageStatus =
            recipients.isEmpty
            ? .sent
            : read.count == recipients.count
                ? .read : delivered.count == recipients.count ? .delivered : .sent
        #expect(message.status == status)
        let page = try #require(
            try await queries.receipts(of: sent.messageID, in: id, for: person, after: nil, limit: 200)
        )
        #expect(page.items.map(\.userId.uuid) == recipients.map(\.person).sorted())
        for receipt in page.items {
            let span = try #require(recipients.first { $0.person == receipt.userId.uuid })
            #expect(receipt.deliveredAt == shown(span.deliveredAt[sent.seq]))
            #expect(receipt.readAt == (isShown ? shown(span.readAt[sent.seq]) : nil))
        }
    }
}
