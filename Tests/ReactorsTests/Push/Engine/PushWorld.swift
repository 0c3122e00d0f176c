import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import Reactors

/// A server that pushes, its people and their devices.
struct PushWorld: Sendable {
    let log: TestLog
    let devices: Devices
    let activity: PushActivity
    let providers: [ScriptedProvider]

    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()

    /// Runs a server with Ada, Grace and Alan in one group, where nothing is pushed yet.
    static func with(
        _ providers: ScriptedProvider...,
        body: @Sendable (PushWorld) async throws -> Void
    ) async throws {
        try await TestLog.with(isProjecting: true) { log in
            guard let key = MasterKey(bytes: TestLog.masterKey) else { throw TestLog.WrongKeyLength() }
            let world = PushWorld(
                log: log,
                devices: Devices(pool: log.store.pool, keyring: log.store.keyring, masterKey: key),
                activity: PushActivity(pool: log.store.pool),
                providers: providers
            )
            try await log.register(world.ada, world.grace, world.alan)
            try await log.startGroup(world.room, world.ada, world.grace, world.alan)
            try await body(world)
        }
    }

    /// Pushes while the body runs; then ends as a process that is killed does, with whatever is under way.
    ///
    /// - Parameter clock: what services are left alone by.
    func pushing(
        _ providers: [any PushProvider]? = nil,
        clock: MovedClock = MovedClock(),
        body: () async throws -> Void
    ) async throws {
        let engine = PushEngine(
            providers: providers ?? self.providers,
            store: log.store,
            checkpoints: log.checkpoints,
            queries: Queries(pool: log.store.pool, partitions: TestLog.partitions, keyring: log.store.keyring),
            devices: devices,
            activity: activity,
            moment: { clock.moment },
            logger: SecretWatch.logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await engine.run() }
            try await eventually("the reactor has begun") {
                try await !pool.query("SELECT FROM parley.consumers WHERE name = 'push'").isEmpty
            }
            try await body()
            group.cancelAll()
        }
    }

    var pool: PostgresPool { TestDatabase.current.pool }

    // MARK: Devices

    @discardableResult
    func register(
        _ address: PushAddress,
        of person: UUID,
        as device: UUID = UUID(),
        session: UUID = UUID(),
        preview: PushPreview = .full,
        locale: String? = nil
    ) async throws -> UUID {
        try await signIn(person, session: session)
        let registration = DeviceRegistration(address: address, preview: preview, locale: locale)
        guard try await devices.put(registration, as: device, of: person, session: session) != nil else {
            throw NeverHappened()
        }
        return device
    }

    func signIn(_ person: UUID, session: UUID) async throws {
        try await pool.execute(
            """
            INSERT INTO parley.sessions (session_id, account_id, created_at, last_seen_at, refreshed_at,
                refresh_expires_at, refresh_hash)
            VALUES (\(session), \(person), now(), now(), now(), now() + interval '1 day',
                \(Bytes(Array(repeating: 0, count: 32))))
            ON CONFLICT DO NOTHING
            """
        )
    }

    static func fcm(_ token: String = "token-\(UUID())") -> PushAddress { .fcm(.token(token)) }

    static func apns(isSandbox: Bool = false) -> PushAddress {
        .apns(
            token: UUID().uuidString.lowercased().filter { $0 != "-" },
            app: "org.example.chat",
            isSandbox: isSandbox
        )
    }

    // MARK: What happens

    /// Has a person mute a conversation for an hour.
    func mute(_ room: UUID, for person: UUID) async throws {
        let mute = ChangeView(
            person: person,
            mutedUntil: .set(Date().addingTimeInterval(3_600)),
            notificationLevel: nil,
            archived: nil,
            pinned: nil,
            now: Date()
        )
        try await log.handle(.changeView(mute), on: room, by: person)
    }

    @discardableResult
    func say(_ text: String, by sender: UUID? = nil, mentioning mentions: UUID...) async throws -> UUID {
        try await log.send(text, to: room, by: sender ?? ada, mentioning: mentions)
    }

    func choose(_ level: NotificationLevel, by person: UUID) async throws {
        let change = ChangeView(person: person, notificationLevel: level, now: Date())
        try await log.handle(.changeView(change), on: room, by: person)
    }

    func block(_ blocked: UUID, by person: UUID) async throws {
        let block = Messaging.Block(person: person, blocked: blocked, isBlocked: true)
        try await log.handle(.block(block), on: DerivedID.directConversation(person, blocked), by: person)
    }

    func read(_ seq: Int64, by person: UUID) async throws {
        let advance = ReceiptAdvance(person: person, deliveredSeq: nil, readSeq: seq)
        try await log.handle(.advanceReceipts([advance]), on: room, by: person)
    }

    /// Waits until the read models show all that has happened.
    func projected() async throws {
        try await eventually("it is projected") {
            let heads = try await log.store.log.heads()
            return try await log.checkpoints.wait(
                for: Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0, $1) }),
                timeout: .seconds(10)
            )
        }
    }

    // MARK: What is there

    /// Lets the clock of the outbox run ahead: everything in it happened so much earlier.
    func age(by interval: String) async throws {
        try await TestDatabase.current.administrator.execute(
            """
            UPDATE parley.push_notifications SET due_at = due_at - \(interval)::text::interval,
                newest_at = newest_at - \(interval)::text::interval, sent_at = sent_at - \(interval)::text::interval
            """
        )
    }

    /// The number of the newest message that a notification is of.
    func newest() async throws -> Int64 {
        try await pool.query("SELECT coalesce(max(seq), 0) FROM parley.push_notifications").first?
            .decode(0) ?? 0
    }

    func waiting() async throws -> Int {
        try await pool.query("SELECT count(*) FROM parley.push_notifications WHERE due_at IS NOT NULL").first?
            .decode(0) ?? 0
    }

    /// Whether nothing is under way.
    func isAtRest() async throws -> Bool {
        try await pool.query("SELECT FROM parley.push_notifications WHERE claim IS NOT NULL").isEmpty
    }

    func outcomes() async throws -> [String] {
        try await pool.query(
            "SELECT kind || ' ' || outcome || coalesce(' ' || reason, '') FROM parley.push_outcomes ORDER BY at, kind"
        ).map { try $0.decode(0) }
    }
}
