import Crypto
package import EventStore
package import Foundation
package import Postgres

/// Where people's devices are reached: one address for a session, one device for an address.
package struct Devices: Sendable {
    /// Of one person; the oldest make room.
    package static let limit = 50
    /// An app says at each start that its address is still its own.
    static let lifetimeDays = 30

    let pool: PostgresPool
    private let keyring: Keyring
    private let keys: [SymmetricKey]

    /// - Parameter masterKey: what addresses are told apart by is made with it.
    package init(pool: PostgresPool, keyring: Keyring, masterKey: MasterKey) {
        self.pool = pool
        self.keyring = keyring
        let purpose = "parley device addresses"
        keys = [masterKey.derived(for: purpose)] + (masterKey.otherDerived(for: purpose).map { [$0] } ?? [])
    }

    /// Registers a device for a session, or renews it. It takes the place of the session's former one, and the address from
    /// whomever it was.
    ///
    /// - Returns: nil where the session or the person is gone.
    package func put(
        _ registration: DeviceRegistration,
        as id: UUID,
        of person: UUID,
        session: UUID
    ) async throws -> (device: RegisteredDevice, isNew: Bool)? {
        let sealed = try await keyring.seal(address: registration.address.encoded(), of: person, device: id)
        guard let sealed else { return nil }
        let row = NewDevice(
            registration,
            id: id,
            person: person,
            session: session,
            sealed: sealed,
            codes: codes(registration.address)
        )
        // Somebody else registers the same at the same moment: then one of them is the later one.
        for _ in 0..<3 {
            do {
                return try await write(row)
            } catch let error as PostgresError where error.sqlState == .uniqueViolation {
                continue
            }
        }
        return try await write(row)
    }

    private func write(_ new: NewDevice) async throws -> (device: RegisteredDevice, isNew: Bool)? {
        let results = try await pool.batch(new.statements(limit: Self.limit))
        guard let row = results[1].first else { return nil }
        return (try RegisteredDevice(row), try row.decode("is_new"))
    }

    private func codes(_ address: PushAddress) -> [Bytes] {
        keys.map { Bytes(Array(HMAC<SHA256>.authenticationCode(for: address.identity, using: $0))) }
    }

    /// - Returns: false where the person has no such device.
    package func remove(_ id: UUID, of person: UUID) async throws -> Bool {
        try await pool.execute("DELETE FROM parley.devices WHERE person_id = \(person) AND device_id = \(id)") > 0
    }

    /// A person's devices, the newest first.
    package func list(of person: UUID) async throws -> [RegisteredDevice] {
        let rows = try await pool.query(
            """
            SELECT d.device_id, d.session_id, d.platform, d.app, d.is_sandbox, d.preview, d.locale, d.created_at, d.renewed_at
            FROM parley.devices d
            JOIN parley.sessions s ON s.session_id = d.session_id AND s.revoked_at IS NULL
            WHERE d.person_id = \(person)
            ORDER BY d.created_at DESC, d.device_id
            LIMIT \(Int64(Self.limit))
            """
        )
        return try rows.map(RegisteredDevice.init)
    }

    /// Forgets all of an erased person.
    package static func forget(_ person: UUID, on pool: PostgresPool) async throws {
        _ = try await pool.batch([
            "DELETE FROM parley.devices WHERE person_id = \(person)",
            "DELETE FROM parley.push_outcomes WHERE person_id = \(person)",
        ])
    }

    /// Forgets devices whose session has ended, or whose app has not been heard of for long, a limited number at once.
    ///
    /// - Returns: whether there may be more.
    func removeEnded(atMost limit: Int = 1_000) async throws -> Bool {
        // Locked, so that one that registers meanwhile is looked at again.
        try await pool.execute(
            """
            WITH ended AS MATERIALIZED (
                SELECT x.person_id, x.device_id FROM parley.devices x
                JOIN parley.sessions s ON s.session_id = x.session_id
                WHERE s.revoked_at IS NOT NULL OR s.refresh_expires_at < now()
                    OR x.renewed_at < now() - make_interval(days => \(Int32(Self.lifetimeDays)))
                LIMIT \(Int64(limit))
                FOR UPDATE OF x SKIP LOCKED
            )
            DELETE FROM parley.devices d USING ended e
            WHERE d.person_id = e.person_id AND d.device_id = e.device_id
            """
        ) == limit
    }

    /// The addresses of devices, in their order; nil where it cannot be read (any more).
    func addresses(
        _ rows: [(person: UUID, device: UUID, platform: PushPlatform, sealed: SealedDraft)]
    ) async throws -> [PushAddress?] {
        let opened = try await keyring.open(addresses: rows.map { ($0.person, $0.device, $0.sealed) })
        return zip(rows, opened).map { row, bytes in
            bytes.flatMap { PushAddress(encoded: $0, platform: row.platform) }
        }
    }
}

extension RegisteredDevice {
    fileprivate init(_ row: Row) throws {
        id = try row.decode("device_id")
        session = try row.decode("session_id")
        platform = PushPlatform(rawValue: try row.decode("platform")) ?? .fcm
        app = try row.decode("app")
        isSandbox = try row.decode("is_sandbox")
        preview = PushPreview(rawValue: try row.decode("preview")) ?? .none
        locale = try row.decode("locale")
        createdAt = try row.decode("created_at")
        renewedAt = try row.decode("renewed_at")
    }
}
