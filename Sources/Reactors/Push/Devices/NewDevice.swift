import EventStore
import Foundation
import Postgres

/// A row of `parley.devices` that is to be written.
struct NewDevice {
    private let registration: DeviceRegistration
    private let id: UUID
    private let person: UUID
    private let session: UUID
    private let sealed: SealedDraft
    /// The first is stored; equal addresses may have been stored with another.
    private let codes: [Bytes]

    init(
        _ registration: DeviceRegistration,
        id: UUID,
        person: UUID,
        session: UUID,
        sealed: SealedDraft,
        codes: [Bytes]
    ) {
        self.registration = registration
        self.id = id
        self.person = person
        self.session = session
        self.sealed = sealed
        self.codes = codes
    }

    /// In one transaction; the second answers the row.
    func statements(limit: Int) -> [SQL] {
        let address = registration.address
        return [
            """
            DELETE FROM parley.devices d
            WHERE (d.session_id = \(session)
                    OR d.platform = \(address.platform.rawValue) AND d.app = \(address.app)
                        AND d.address_hmac = ANY (\(codes)))
                AND NOT (d.person_id = \(person) AND d.device_id = \(id))
            """,
            upsert,
            """
            UPDATE parley.push_notifications n SET platform = \(address.platform.rawValue), origin = \(address.origin)
            WHERE n.person_id = \(person) AND n.device_id = \(id) AND n.origin <> \(address.origin)
            """,
            """
            DELETE FROM parley.devices d
            WHERE d.person_id = \(person) AND d.device_id IN (
                SELECT o.device_id FROM parley.devices o WHERE o.person_id = \(person)
                ORDER BY o.renewed_at DESC, o.device_id OFFSET \(Int64(limit)))
            """,
        ]
    }

    private var upsert: SQL {
        let address = registration.address
        let isSandbox = if case .apns(_, _, true) = address { true } else { false }
        return """
            INSERT INTO parley.devices AS d (
                person_id, device_id, session_id, key_id, platform, origin, app, preview, locale, is_sandbox, sealed,
                address_hmac)
            SELECT \(person), \(id), s.session_id, \(sealed.key), \(address.platform.rawValue), \(address.origin),
                \(address.app), \(registration.preview.rawValue), \(registration.locale), \(isSandbox),
                \(Bytes(sealed.bytes)), \(codes[0])
            FROM parley.sessions s
            WHERE s.session_id = \(session) AND s.account_id = \(person) AND s.revoked_at IS NULL
                AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = \(person))
            ON CONFLICT (person_id, device_id) DO UPDATE SET
                session_id = excluded.session_id, key_id = excluded.key_id, platform = excluded.platform,
                origin = excluded.origin, app = excluded.app, preview = excluded.preview, locale = excluded.locale,
                is_sandbox = excluded.is_sandbox, sealed = excluded.sealed, address_hmac = excluded.address_hmac,
                renewed_at = now(), silent_until = NULL, refused_at = NULL
            RETURNING d.device_id, d.session_id, d.platform, d.app, d.is_sandbox, d.preview, d.locale, d.created_at,
                d.renewed_at, d.created_at = d.renewed_at AS is_new
            """
    }
}
