import Foundation
import ParleyWire
import TestSupport

/// Values of every shape that writes itself, random and yet repeatable.
struct WireSamples {
    private var random: SeededRandom

    private static let texts = [
        "", "plain", "\"quoted\" \\ back/slash", "one\ntwo\r\tthree", "\u{0}\u{1}\u{b}\u{1f}\u{7f}",
        "é 🐌 \u{202e}rtl\u{2028}", String(repeating: "🐌\"", count: 1_000),
    ]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func message() -> Message {
        Message(
            id: id(),
            localId: id(),
            conversationId: id(),
            seq: maybe(number()),
            senderId: id(),
            text: maybe(text()),
            data: maybe(.object(["a": .array([.number(1), .null, .bool(true)]), "\"b": .string(text())])),
            replyTo: maybe(
                ReplyTo(id: id(), seq: number(), senderId: id(), text: maybe(text()), attachments: maybe([.image]))
            ),
            forwardedFrom: maybe(ForwardedFrom(hops: 3)),
            mentions: mentions(),
            attachments: maybe([attachment(), attachment()]) ?? [],
            reactions: maybe([Reaction(emoji: "🐌", count: 2, mine: true, userIds: ids())]) ?? [],
            timestamp: time(),
            clientTimestamp: maybe(time()),
            editedAt: maybe(time()),
            expiresAt: maybe(time()),
            deletedAt: maybe(time()),
            deletedBy: maybe(id()),
            deletedForMe: maybe(true),
            pinnedAt: maybe(time()),
            pinnedBy: maybe(id()),
            revision: number(),
            status: maybe(.delivered),
            recipientCount: maybe(3),
            deliveredCount: maybe(2),
            readCount: maybe(0),
            deliveredTo: maybe([id(): time(), id(): time()]),
            readBy: maybe([:])
        )
    }

    mutating func created() -> StreamEvent.MessageCreated {
        StreamEvent.MessageCreated(conversationId: id(), message: message(), sender: user())
    }

    /// One of each kind.
    mutating func events() -> [StreamEvent] {
        let changed = StreamEvent.MessageChanged(conversationId: id(), message: message())
        let conversation = StreamEvent.ConversationChanged(conversation: conversation())
        let participant = StreamEvent.ParticipantChanged(conversationId: id(), participant: participant())
        let others: [StreamEvent] = [
            .hello(StreamEvent.Hello(resumed: true, heartbeatSeconds: 25, serverTime: time())),
            .ready, .reset, .ping,
            .messageCreated(created()), .messageUpdated(changed), .messageDeleted(changed),
            .conversationCreated(conversation), .conversationUpdated(conversation),
            .conversationRemoved(StreamEvent.ConversationRemoved(conversationId: id(), revision: number())),
            .participantAdded(participant), .participantUpdated(participant), .participantRemoved(participant),
            .goAway(StreamEvent.GoAway(reason: .draining, reconnectInMs: 250)),
            .memberUpdated(StreamEvent.MemberUpdated(conversationId: id(), me: settings())),
        ]
        return others + marks() + people()
    }

    private mutating func marks() -> [StreamEvent] {
        let reaction = Reaction(emoji: text(), count: 2, mine: false, userIds: ids())
        let mark = ReceiptMark(userId: id(), deliveredSeq: number(), readSeq: 0, at: time())
        return [
            .reactionUpdated(
                StreamEvent.ReactionUpdated(
                    conversationId: id(),
                    messageId: id(),
                    reactions: maybe([reaction, reaction]) ?? [],
                    revision: number()
                )
            ),
            .receiptUpdated(
                StreamEvent.ReceiptUpdated(conversationId: id(), receipts: maybe([mark, mark]) ?? [])
            ),
            .unreadUpdated(
                StreamEvent.UnreadUpdated(
                    conversationId: id(),
                    unreadCount: Int.max,
                    firstUnreadSeq: maybe(number()),
                    totalUnread: 12,
                    totalUnreadUnmuted: 0
                )
            ),
        ]
    }

    private mutating func people() -> [StreamEvent] {
        var user = User(
            id: id(),
            displayName: maybe(text()),
            photoURL: maybe(text()),
            presence: presence(),
            createdAt: time(),
            erased: maybe(true)
        )
        user.isBot = maybe(true)
        return [
            .userUpdated(StreamEvent.UserUpdated(user: user)),
            .typingUpdated(
                StreamEvent.TypingUpdated(conversationId: id(), userId: id(), typing: true, expiresInMs: 6_000)
            ),
            .blockUpdated(StreamEvent.BlockUpdated(userId: id(), blockedAt: maybe(time()))),
            .presenceUpdated(StreamEvent.PresenceUpdated(userId: id(), presence: presence())),
        ]
    }

    mutating func history() -> HistoryPage {
        HistoryPage(
            items: maybe([message(), message()]) ?? [],
            page: PageInfo(olderCursor: maybe(text()), newerCursor: maybe(text()), hasOlder: true, hasNewer: false),
            users: maybe(users(3))
        )
    }

    mutating func conversation() -> Conversation {
        let last = LastMessage(
            id: id(),
            seq: number(),
            senderId: id(),
            text: maybe(text()),
            attachments: maybe([.file, .image]),
            timestamp: time(),
            deletedAt: maybe(time())
        )
        return Conversation(
            id: id(),
            type: maybe(.direct) ?? .group,
            groupName: maybe(text()),
            groupIcon: maybe(text()),
            joinPolicy: maybe(.open),
            historyVisibility: maybe(.joined),
            permissions: maybe(GroupPermissions(send: .admins, addMembers: .everyone)),
            retentionSeconds: maybe(3_600),
            slowModeSeconds: maybe(60),
            participantIds: maybe(ids()),
            participantCount: 7,
            participants: maybe([participant(), participant()]),
            lastMessage: maybe(last),
            headSeq: number(),
            unreadCount: 3,
            mentionCount: 1,
            firstUnreadSeq: maybe(number()),
            me: settings(),
            createdBy: id(),
            createdAt: time(),
            updatedAt: time(),
            revision: number(),
            users: maybe(users(2)),
            warnings: maybe([warning(), warning()])
        )
    }

    mutating func warning() -> Warning {
        Warning(code: .confusableName, userId: id(), similarTo: id())
    }

    mutating func conversationPage() -> ListPage<Conversation> {
        let items = [conversation(), conversation(), conversation()]
        return ListPage(items: maybe(items) ?? [], nextCursor: maybe(text()), users: maybe(users(3)))
    }

    mutating func snapshot() -> SyncSnapshot {
        let entry = SyncSnapshot.Entry(conversation: conversation(), timeline: history())
        return SyncSnapshot(
            me: Me(
                id: id(),
                displayName: maybe(text()),
                photoURL: maybe(text()),
                presence: presence(),
                createdAt: time(),
                email: text(),
                settings: UserSettings(
                    readReceipts: false,
                    showPresence: false,
                    timeZone: maybe(text()),
                    locale: maybe("de"),
                    quietHours: maybe(QuietHours(from: "22:00", to: "07:00", timeZone: text()))
                ),
                needsOnboarding: true,
                warnings: maybe([warning()])
            ),
            totalUnread: 12,
            conversations: maybe([entry]) ?? [],
            nextCursor: maybe(text()),
            users: users(2),
            cursor: text()
        )
    }

    mutating func receipts() -> ReceiptsAnswer {
        let moved = ReceiptsAnswer.Item(conversationId: id(), deliveredSeq: number(), readSeq: 0, unreadCount: Int.max)
        let refused = ReceiptsAnswer.Item(conversationId: id(), code: .notFound)
        return ReceiptsAnswer(items: maybe([moved, refused, moved]) ?? [])
    }

    mutating func settings() -> MemberSettings {
        MemberSettings(
            role: .owner,
            deliveredSeq: number(),
            readSeq: number(),
            mutedUntil: maybe(time()),
            notificationLevel: .mentions,
            archived: true,
            pinned: false,
            pinnedAt: maybe(time()),
            draft: maybe(text()),
            draftUpdatedAt: maybe(time()),
            cleared: true,
            markedUnread: true
        )
    }

    mutating func participants() -> ListPage<Participant> {
        ListPage(items: [participant(), participant()], nextCursor: maybe(text()))
    }

    mutating func users(_ count: Int) -> [WireID: UserSummary] {
        var users: [WireID: UserSummary] = [:]
        for _ in 0..<count { users[id()] = user() }
        return users
    }

    // MARK: Parts

    private mutating func user() -> UserSummary {
        UserSummary(
            displayName: maybe(text()),
            photoURL: maybe("https://example.org/a?b=c"),
            erased: maybe(true),
            isBot: maybe(true)
        )
    }

    private mutating func participant() -> Participant {
        Participant(
            userId: id(),
            displayName: maybe(text()),
            photoURL: maybe(text()),
            role: .admin,
            joinedAt: time(),
            revision: number(),
            erased: maybe(true),
            warnings: maybe([warning()])
        )
    }

    private mutating func attachment() -> Attachment {
        Attachment(
            id: id(),
            kind: maybe(.audio) ?? .image,
            contentType: "image/png",
            bytes: number(),
            name: maybe(text()),
            width: maybe(3),
            height: maybe(4),
            blurhash: maybe(text()),
            durationMs: maybe(7),
            waveform: maybe([0, 255]),
            url: text(),
            thumbnailURL: maybe(text())
        )
    }

    private mutating func presence() -> Presence {
        Presence(status: .away, lastSeen: maybe(time()))
    }

    private mutating func ids() -> [WireID] {
        [[], [id()], [id(), id()]].randomElement(using: &random) ?? []
    }

    private mutating func mentions() -> [Mention] {
        [[], [.all], [.all, .user(id())], [.user(id()), .other("@\"here")]].randomElement(using: &random) ?? []
    }

    private mutating func id() -> WireID {
        let halves = (random.next(), random.next())
        return WireID(UUID(uuid: withUnsafeBytes(of: halves) { $0.loadUnaligned(as: uuid_t.self) }))
    }

    private mutating func time() -> Date {
        Timestamp.date(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random))
    }

    private mutating func number() -> Int64 {
        Int64.random(in: 1...Int64.max, using: &random)
    }

    private mutating func text() -> String {
        Self.texts.randomElement(using: &random) ?? ""
    }

    private mutating func maybe<Value>(_ value: Value) -> Value? {
        random.chance(50) ? value : nil
    }
}
