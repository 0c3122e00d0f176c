import EventSourcing
import Foundation
import Messaging
import Postgres

/// Puts what is said into the outbox of push notifications, and what is read elsewhere.
///
/// Whom it concerns is asked here so that nobody else gets a row; it is asked again when the row is sent.
struct PushReactor: Reactor {
    /// How long those wait who are doing something: they may read it by themselves.
    static let hold = Duration.seconds(5)
    /// Who has done something within this time is doing something.
    static let activityWindow = Duration.seconds(60)

    let name = "push"
    /// Those that there are providers for: nobody else waits for anything.
    let platforms: [PushPlatform]
    let activity: PushActivity
    /// Is told when there may be something to send.
    let wake: @Sendable () -> Void

    func concerns(_ event: RecordedEvent) -> Bool {
        guard case .event(let body as ConversationEvent) = event.body else { return false }
        switch body {
        case .messageSent, .messageDeleted: return true
        case .receiptsAdvanced(let advanced): return !advanced.marks.isEmpty
        case .started, .participantAdded, .participantRemoved, .roleChanged, .groupChanged, .memberErased, .viewChanged,
            .markedUnread, .messageHidden, .permissionsChanged, .inviteCreated, .inviteUsed, .invitesEnded,
            .messageEdited, .reactionAdded, .reactionRemoved, .messagePinned, .messageUnpinned, .blockChanged,
            .retentionChanged, .slowModeChanged:
            return false
        }
    }

    func hasWritten() { wake() }

    func statements(for events: [RecordedEvent], on connection: PostgresConnection) async throws -> [SQL] {
        // Where nobody has a device, a message costs this question; asked once for all that came together. The lock lets no
        // rebuild switch the tables meanwhile.
        let known = try await connection.batch([
            "LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE",
            """
            SELECT EXISTS (SELECT FROM parley.devices d WHERE d.platform = ANY (\(platforms.map(\.rawValue)))) AS any_device,
                EXISTS (SELECT FROM parley.push_notifications) AS any_row
            """,
        ])
        guard let row = known.last?.first else { return [] }
        let hasDevices: Bool = try row.decode("any_device")
        let hasRows: Bool = try row.decode("any_row")
        guard hasDevices || hasRows else { return [] }
        await activity.flush()
        let news = PushNews(events)
        var statements: [SQL] = []
        if hasDevices, !news.messages.isEmpty { statements.append(news.insertion(for: platforms)) }
        if !news.marks.isEmpty { statements.append(news.readElsewhere) }
        if !news.deletions.isEmpty { statements.append(news.takenBack) }
        return statements
    }
}
