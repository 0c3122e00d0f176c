import Foundation
import HTTPTypes
import ParleyWire
import Testing

/// Compares what both servers show with what is so.
struct WalkCheck {
    let servers: [LiveServer]
    let people: [LivePerson]
    let world: WalkWorld

    func run() async throws {
        for person in people where !world.erased.contains(person.id) {
            let snapshots = [
                try await sync(person, at: servers[0]), try await sync(person, at: servers[1]),
            ]
            #expect(snapshots[0] == snapshots[1])
            try await checkCounts(of: person, snapshots[0])
            for server in servers { try await checkHistories(of: person, at: server) }
            for server in servers { try await checkLeft(by: person, at: server) }
            try await checkNothingGone(for: person)
            for erased in world.erased { try await checkErased(erased, for: person) }
        }
    }

    private func sync(_ person: LivePerson, at server: LiveServer) async throws -> SyncSnapshot {
        var snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: person)
        // As fresh as each other, whatever the partitions are called.
        snapshot.cursor = ""
        // Without hints, each knows of its own streams.
        snapshot.me.presence = Presence(status: .offline)
        for place in snapshot.conversations.indices {
            let items = snapshot.conversations[place].timeline.items
            snapshot.conversations[place].timeline.items = items.map(\.withoutLinks)
        }
        return snapshot
    }

    private func checkCounts(of person: LivePerson, _ snapshot: SyncSnapshot) async throws {
        var total = (unread: 0, unmuted: 0, mentions: 0)
        for (id, room) in world.rooms where room.members.contains(person.id) {
            let path = "/v1/conversations/\(WireID(id))"
            let seen = try await servers[1].get(Conversation.self, path, as: person)
            let unread = world.unread(of: person.id, in: id, after: seen.me.readSeq)
            let mentions = unread.count { $0.mentions(person.id) }
            #expect(seen.headSeq == Int64(room.messages.count))
            #expect(seen.unreadCount == unread.count, "\(person.name)")
            #expect(seen.mentionCount == mentions, "\(person.name)")
            #expect(seen.firstUnreadSeq == unread.first?.seq, "\(person.name)")
            #expect(roles(seen) == room.membership.roles, "\(person.name)")
            #expect(seen.me.role == room.membership.roles[person.id], "\(person.name)")
            #expect(WalkSettings(seen) == room.settings.shown, "\(person.name)")
            guard !seen.me.cleared else { continue }
            total.unread += unread.count
            total.mentions += mentions
            if seen.me.mutedUntil.map({ $0 < Date() }) ?? true { total.unmuted += unread.count }
        }
        #expect(snapshot.totalUnread == total.unread, "\(person.name)")
        #expect(snapshot.totalUnreadUnmuted == total.unmuted, "\(person.name)")
        #expect(snapshot.totalMentions == total.mentions, "\(person.name)")
    }

    private func roles(_ seen: Conversation) -> [UUID: ParticipantRole] {
        Dictionary((seen.participants ?? []).map { ($0.userId.uuid, $0.role) }) { _, role in role }
    }

    /// Who has left sees the group as it was then, and what could be read then.
    private func checkLeft(by person: LivePerson, at server: LiveServer) async throws {
        for (id, room) in world.rooms {
            guard let left = room.left[person.id] else { continue }
            let path = "/v1/conversations/\(WireID(id))"
            let seen = try await server.get(Conversation.self, path, as: person)
            #expect(WalkSettings(seen) == left.settings.shown, "\(person.name)")
            #expect(roles(seen) == left.roles, "\(person.name)")
            let history = try await server.ask(.get, "\(path)/messages?limit=100", person)
            let tooMuch = WalkWorld.tags(in: history.text).filter { !world.isShown($0, to: person.id) }
            #expect(tooMuch.isEmpty, "\(person.name) reads \(world.description(of: tooMuch, for: person.id))")
        }
    }

    /// Who has been there from the beginning reads all that is still said.
    private func checkHistories(of person: LivePerson, at server: LiveServer) async throws {
        for (id, room) in world.rooms where room.founders.contains(person.id) {
            var shown: [Int64: Message] = [:]
            var before: String?
            repeat {
                let query = before.map { "?limit=20&before=\($0)" } ?? "?limit=20"
                let path = "/v1/conversations/\(WireID(id))/messages\(query)"
                let page = try await server.get(HistoryPage.self, path, as: person)
                for message in page.items { if let seq = message.seq { shown[seq] = message } }
                before = page.page.hasOlder ? page.page.olderCursor : nil
            } while before != nil
            for message in room.messages {
                let isGone = message.isDeleted || message.isErased || message.hiddenFrom.contains(person.id)
                let expected = isGone ? nil : message.tags.last.map { "walk w\($0)w" }
                let found = try #require(shown[message.seq], "\(person.name)")
                let isHidden = found.deletedForMe == true
                #expect((isHidden ? nil : found.text) == expected, "\(person.name)")
                check(found, against: message, for: person)
                let files = isHidden ? [] : found.attachments.map(\.id.uuid)
                #expect(files == (isGone ? [] : message.files), "\(person.name)")
                var receipts = message.sender == person.id ? room.receipts(of: message) : nil
                // Whoever hides the own reading is shown none.
                if world.discreet.contains(person.id) { receipts?.read = [] }
                check(found, against: receipts)
            }
            #expect(shown.count == room.messages.count)
            let pins = try await server.get(
                ListPage<Message>.self,
                "/v1/conversations/\(WireID(id))/pins?limit=50",
                as: person
            )
            let pinned = room.messages.filter { $0.shownPin(to: person.id) != nil }
            #expect(Set(pins.items.compactMap(\.seq)) == Set(pinned.map(\.seq)), "\(person.name)")
        }
    }

    /// What others have made of a message.
    private func check(_ found: Message, against message: WalkWorld.Sent, for person: LivePerson) {
        let reactions = Dictionary(found.reactions.map { ($0.emoji, Set($0.userIds.map(\.uuid))) }) { $0.union($1) }
        #expect(reactions == message.shownReactions(to: person.id), "\(person.name): \(found.id)")
        for reaction in found.reactions {
            #expect(reaction.count == reaction.userIds.count, "\(found.id)")
            #expect(reaction.mine == reaction.userIds.contains(WireID(person.id)), "\(found.id)")
        }
        #expect(found.pinnedBy?.uuid == message.shownPin(to: person.id), "\(person.name): \(found.id)")
        #expect((found.pinnedAt != nil) == (found.pinnedBy != nil), "\(found.id)")
    }

    /// Own messages show who has received them, others' nothing.
    private func check(_ found: Message, against receipts: (all: Set<UUID>, delivered: Set<UUID>, read: Set<UUID>)?) {
        #expect(found.recipientCount == receipts?.all.count, "\(found.id)")
        #expect(found.deliveredCount == receipts?.delivered.count, "\(found.id)")
        #expect(found.readCount == receipts?.read.count, "\(found.id)")
        #expect(found.deliveredTo.map { Set($0.keys.map(\.uuid)) } == receipts?.delivered, "\(found.id)")
        #expect(found.readBy.map { Set($0.keys.map(\.uuid)) } == receipts?.read, "\(found.id)")
        let status = receipts.map { receipts -> MessageStatus in
            if receipts.all.isEmpty { return .sent }
            if receipts.read == receipts.all { return .read }
            return receipts.delivered == receipts.all ? .delivered : .sent
        }
        #expect(found.status == status, "\(found.id)")
    }

    /// What was deleted or edited is shown nowhere but as an earlier version.
    private func checkNothingGone(for person: LivePerson) async throws {
        let gone = world.goneTags(for: person.id)
        for path in ["/v1/sync", "/v1/conversations?limit=200", "/v1/starred"] {
            let shown = WalkWorld.tags(in: try await servers[0].ask(.get, path, person).text)
            #expect(shown.isDisjoint(with: gone), "\(path)")
        }
        let found = try await servers[1].ask(.post, "/v1/search", person, ["query": .string("walk")])
        let tooMuch = WalkWorld.tags(in: found.text).intersection(gone)
        #expect(tooMuch.isEmpty, "\(person.name) finds \(world.description(of: tooMuch, for: person.id))")
    }

    /// Of somebody erased there is no name any more, and nothing can be begun or gone on with.
    private func checkErased(_ erased: UUID, for person: LivePerson) async throws {
        let known = try await servers[0].ask(.get, "/v1/users/\(WireID(erased))", person)
        if known.isDone {
            let user = try known.decode(User.self)
            #expect(user.erased == true && user.displayName == nil && user.photoURL == nil, "\(person.name)")
        }
        let begun = try await servers[1].ask(.put, "/v1/conversations/direct/\(WireID(erased))", person)
        #expect(begun.status == .notFound, "\(person.name)")
        for (id, room) in world.rooms where !room.settings.isGroup && room.members == [person.id, erased] {
            let path = "/v1/conversations/\(WireID(id))"
            let sent = try await servers[1].ask(.put, "\(path)/messages/\(WireID(UUID()))", person, ["text": "walk"])
            #expect(sent.status == .forbidden, "\(person.name)")
            let seen = try await servers[0].get(Conversation.self, path, as: person)
            #expect(seen.users?[WireID(erased)] == UserSummary(displayName: nil, erased: true), "\(person.name)")
        }
    }
}
