import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct DevicesTests {
    @Test func `an address belongs to whoever registered it last`() async throws {
        try await PushWorld.with { world in
            let address = PushWorld.fcm("of a phone that was sold")
            try await world.register(address, of: world.grace)
            try await world.register(address, of: world.alan)
            #expect(try await world.devices.list(of: world.grace).isEmpty)
            #expect(try await world.devices.list(of: world.alan).count == 1)
        }
    }

    @Test func `a session has one device, and a device that is registered again is the same`() async throws {
        try await PushWorld.with { world in
            let (session, device) = (UUID(), UUID())
            try await world.register(PushWorld.fcm(), of: world.grace, session: session)
            try await world.register(PushWorld.fcm(), of: world.grace, as: device, session: session)
            #expect(try await world.devices.list(of: world.grace).map(\.id) == [device])
            // The app is signed in anew.
            try await world.register(PushWorld.apns(), of: world.grace, as: device, preview: .sender, locale: "de")
            let listed = try await world.devices.list(of: world.grace)
            #expect(listed.map(\.id) == [device])
            #expect(listed.first?.platform == .apns && listed.first?.preview == .sender)
        }
    }

    @Test func `many who register one address at the same moment leave one device`() async throws {
        try await PushWorld.with { world in
            let address = PushWorld.fcm("one")
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    let person = [world.ada, world.grace, world.alan][index % 3]
                    group.addTask { _ = try? await world.register(address, of: person) }
                }
            }
            let rows = try await world.pool.query("SELECT FROM parley.devices")
            #expect(rows.count == 1)
        }
    }

    @Test func `a device ends with its session, and after 30 days without a word`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let session = UUID()
            try await world.register(PushWorld.fcm(), of: world.grace, session: session)
            try await world.register(PushWorld.fcm(), of: world.alan)
            try await world.pool.execute(
                "UPDATE parley.sessions SET revoked_at = now() WHERE session_id = \(session)"
            )
            #expect(try await world.devices.list(of: world.grace).isEmpty)
            try await world.pool.execute(
                "UPDATE parley.devices SET renewed_at = now() - interval '31 days' WHERE person_id = \(world.alan)"
            )
            // Neither is told anything, whether it is forgotten already or not.
            try await world.pushing {
                try await world.say("planted-ended")
                try await eventually("nobody is left") {
                    let outcomes = try await world.outcomes()
                    return try await world.pool.query("SELECT FROM parley.devices").isEmpty || outcomes.count == 2
                }
                #expect(provider.sent.isEmpty)
            }
            _ = try await world.devices.removeEnded()
            #expect(try await world.pool.query("SELECT FROM parley.devices").isEmpty)
            #expect(
                try await world.devices.put(
                    DeviceRegistration(address: PushWorld.fcm()),
                    as: UUID(),
                    of: world.grace,
                    session: session
                ) == nil
            )
        }
    }

    @Test func `10,000 devices of one person keep nobody waiting, and become 50 with the next one`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let alan = PushWorld.fcm("alan")
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.register(alan, of: world.alan)
            try await world.multiplyDevices(of: world.grace, by: 10_000)
            try await world.pushing {
                try await world.say("planted-many")
                try await eventually("Alan is told") { provider.sent.contains { $0.address == alan } }
            }
            let newest = try await world.register(PushWorld.fcm(), of: world.grace)
            let listed = try await world.devices.list(of: world.grace)
            #expect(listed.count == Devices.limit && listed.contains { $0.id == newest })
            for table in ["devices", "push_notifications"] {
                let rows = try await world.pool.query(
                    "SELECT FROM parley.\(identifier: table) WHERE person_id = \(world.grace)"
                )
                #expect(rows.count <= Devices.limit, "\(table)")
            }
        }
    }

    @Test func `the database holds no address that can be read`() async throws {
        try await PushWorld.with { world in
            try await world.register(PushWorld.fcm("planted-token"), of: world.grace)
            let dump: String =
                try await TestDatabase.current.administrator.query(
                    "SELECT string_agg(d::text, ' ') FROM parley.devices d"
                ).first?.decode(0) ?? ""
            #expect(dump.contains(world.grace.uuidString.lowercased()))
            #expect(!dump.contains("planted-token"))
            #expect(!dump.contains(Data("planted-token".utf8).map { String(format: "%02x", $0) }.joined()))
        }
    }
}

extension PushWorld {
    /// Gives a person who has one device many more, as if nothing had ever limited them. Their addresses cannot be read.
    fileprivate func multiplyDevices(of person: UUID, by count: Int) async throws {
        try await pool.execute(
            """
            INSERT INTO parley.sessions (session_id, account_id, created_at, last_seen_at, refreshed_at,
                refresh_expires_at, refresh_hash)
            SELECT gen_random_uuid(), \(person), now(), now(), now(), now() + interval '1 day',
                \(Bytes(Array(repeating: 0, count: 32)))
            FROM generate_series(1, \(Int64(count)))
            """
        )
        try await pool.execute(
            """
            INSERT INTO parley.devices (renewed_at, person_id, device_id, session_id, key_id, platform, origin, sealed,
                address_hmac)
            SELECT d.renewed_at - interval '1 hour', d.person_id, gen_random_uuid(), s.session_id, d.key_id, d.platform,
                d.origin, d.sealed, sha256(s.session_id::text::bytea)
            FROM parley.devices d
            JOIN parley.sessions s ON s.account_id = d.person_id AND s.session_id <> d.session_id
            WHERE d.person_id = \(person)
            """
        )
    }
}
