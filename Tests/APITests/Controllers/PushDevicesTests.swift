import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import Edge

@Suite(.database) struct PushDevicesTests {
    private static let subscription: JSONValue = .object([
        "endpoint": .string("https://push.example.org/send/planted-endpoint"),
        "keys": .object([
            "p256dh": .string(
                "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
            ),
            "auth": .string("tBHItJI5svbpez7KI4CCXg"),
        ]),
    ])

    private static func subscribing(
        to endpoint: String = "https://push.example.org/send",
        p256dh: String = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        auth: String = "tBHItJI5svbpez7KI4CCXg"
    ) -> String {
        let keys = #"{"p256dh": "\#(p256dh)", "auth": "\#(auth)"}"#
        return #"{"platform": "webpush", "subscription": {"endpoint": "\#(endpoint)", "keys": \#(keys)}}"#
    }

    private func apns(_ changes: [String: JSONValue] = [:]) -> JSONValue {
        let body: [String: JSONValue] = [
            "platform": .string("apns"), "token": .string(String(repeating: "aB", count: 32)),
            "app": .string("org.example.chat"),
        ]
        return .object(body.merging(changes) { $1 })
    }

    @Test func `a device is registered, renewed, listed without its address, and removed`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let path = "/v1/devices/\(WireID())"
            let body = apns([
                "preview": .string("sender"), "locale": .string("de-AT"), "environment": .string("sandbox"),
            ])
            let device = try await ada.send(.put, path, body: body).decode(Device.self, status: .created)
            #expect(device.platform == .apns && device.app == "org.example.chat")
            #expect(device.preview == .sender && device.locale == "de-AT" && device.environment == .sandbox)
            #expect(device.sessionId == ada.session.session.id)
            let renewed = try await ada.send(.put, path, body: apns()).decode(Device.self, status: .ok)
            #expect(renewed.createdAt == device.createdAt && renewed.preview == .full && renewed.locale == nil)
            let list = try await ada.send(.get, "/v1/devices")
            #expect(try list.decode(ListPage<Device>.self).items == [renewed])
            // Longer than any part of an id, which may have some of it by chance.
            #expect(!list.text.lowercased().contains(String(repeating: "ab", count: 8)))
            #expect(try await ada.send(.delete, path).status == .noContent)
            try await ada.send(.delete, path).expect(.notFound)
            #expect(try await ada.get(ListPage<Device>.self, "/v1/devices").items.isEmpty)
        }
    }

    @Test func `nobody sees or removes another person's device`() async throws {
        try await TestServer.with { server in
            let (ada, grace) = (try await server.register("Ada"), try await server.register("Grace"))
            let path = "/v1/devices/\(WireID())"
            #expect(try await ada.send(.put, path, body: apns()).status == .created)
            try await grace.send(.delete, path).expect(.notFound)
            #expect(try await grace.get(ListPage<Device>.self, "/v1/devices").items.isEmpty)
            // The same phone, the next person: it says nothing more to the first.
            #expect(try await grace.send(.put, path, body: apns()).status == .created)
            #expect(try await ada.get(ListPage<Device>.self, "/v1/devices").items.isEmpty)
        }
    }

    @Test func `each platform has its own kind of address`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let id = WireID()
            for body: [String: JSONValue] in [
                ["platform": .string("fcm"), "token": .string("planted:token-1_2")],
                ["platform": .string("fcm"), "fid": .string("cZ4planted")],
                ["platform": .string("webpush"), "subscription": Self.subscription],
            ] {
                let answer = try await ada.send(.put, "/v1/devices/\(id)", body: .object(body))
                #expect(answer.status.code < 300, "\(answer.text)")
                #expect(!answer.text.contains("planted"))
            }
        }
    }

    @Test(arguments: [
        (#"{}"#, "/platform"), (#"{"platform": "pager"}"#, "/platform"), (#"{"platform": "fcm"}"#, "/token"),
        (#"{"platform": "fcm", "token": "a b"}"#, "/token"), (#"{"platform": "fcm", "token": 5}"#, "/token"),
        (#"{"platform": "fcm", "fid": ""}"#, "/fid"), (#"{"platform": "apns", "token": "aabb", "app": "x"}"#, "/token"),
        (#"{"platform": "apns", "token": "zz"}"#, "/app"), (#"{"platform": "webpush"}"#, "/subscription"),
        (#"{"platform": "webpush", "subscription": []}"#, "/subscription"),
        (#"{"platform": "webpush", "subscription": {}}"#, "/subscription/endpoint"),
        (#"{"platform": "webpush", "subscription": {"endpoint": "http://a/b"}}"#, "/subscription/endpoint"),
        (#"{"platform": "webpush", "subscription": {"endpoint": "https://u:p@a/b"}}"#, "/subscription/endpoint"),
        (#"{"platform": "webpush", "subscription": {"endpoint": "https://a/b"}}"#, "/subscription/keys"),
        (
            #"{"platform": "webpush", "subscription": {"endpoint": "https://a/b", "keys": {"p256dh": "AA", "auth": "%"}}}"#,
            "/subscription/keys/p256dh"
        ),
        (subscribing(p256dh: "B" + String(repeating: "A", count: 86)), "/subscription/keys/p256dh"),
        (subscribing(auth: "tBHItJI5svbpez7KI4CCXQ8"), "/subscription/keys/auth"),
        (subscribing(auth: "tBHItJI5svbpez7KI4CC"), "/subscription/keys/auth"),
        (subscribing(to: "https://push.example.org:99999/send"), "/subscription/endpoint"),
        (subscribing(to: "https://push.example.org:65536/send"), "/subscription/endpoint"),
    ]) func `an address that is none is refused, and said to be where it stands`(
        text: String,
        pointer: String
    )
        async throws
    {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let answer = try await ada.send(.put, "/v1/devices/\(WireID())", text: text)
            try answer.expect(.validationFailed, pointer: pointer)
        }
    }

    @Test func `an unknown preview shows nothing, none that is named all`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let path = "/v1/devices/\(WireID())"
            for (preview, expected) in [("None", DevicePreview.none), ("names", .none), ("sender", .sender)] {
                let body = apns(["preview": .string(preview)])
                #expect(try await ada.send(.put, path, body: body).decode(Device.self).preview == expected)
            }
            for body in [apns(), apns(["preview": .null])] {
                #expect(try await ada.send(.put, path, body: body).decode(Device.self).preview == .full)
            }
        }
    }

    @Test func `a device ends with its session`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            #expect(try await ada.send(.put, "/v1/devices/\(WireID())", body: apns()).status == .created)
            #expect(try await ada.send(.post, "/v1/auth/logout").status.code < 300)
            let rows = try await TestDatabase.current.pool.query(
                """
                SELECT FROM parley.devices d JOIN parley.sessions s USING (session_id) WHERE s.revoked_at IS NULL
                """
            )
            #expect(rows.isEmpty)
        }
    }

    @Test func `an erased person leaves no device and no quiet hours`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            #expect(try await ada.send(.put, "/v1/devices/\(WireID())", body: apns()).status == .created)
            let quiet = #"{"settings": {"quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin"}}}"#
            #expect(try await ada.send(.patch, "/v1/me", text: quiet).status == .ok)
            #expect(try await ada.send(.delete, "/v1/me", text: #"{"password": "correct horse"}"#).status == .noContent)
            for table in ["devices", "quiet_hours"] {
                let rows = try await TestDatabase.current.pool.query("SELECT FROM parley.\(identifier: table)")
                #expect(rows.isEmpty, "\(table)")
            }
        }
    }

    @Test func `quiet hours are a setting that can be changed and cleared`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let quiet = QuietHours(from: "22:00", to: "07:30", timeZone: "Europe/Berlin")
            let text = #"{"settings": {"quietHours": {"from": "22:00", "to": "07:30", "timeZone": "Europe/Berlin"}}}"#
            #expect(try await ada.send(.patch, "/v1/me", text: text).decode(Me.self).settings.quietHours == quiet)
            // What is not named stays.
            #expect(try await ada.send(.patch, "/v1/me", text: #"{"settings": {"locale": "de"}}"#).status == .ok)
            #expect(try await ada.get(Me.self, "/v1/me").settings.quietHours == quiet)
            let cleared = try await ada.send(.patch, "/v1/me", text: #"{"settings": {"quietHours": null}}"#)
            #expect(try cleared.decode(Me.self).settings.quietHours == nil)
            for (wrong, pointer) in [
                (#"{"from": "24:00", "to": "07:30", "timeZone": "UTC"}"#, "from"),
                (#"{"from": "7:00", "to": "07:30", "timeZone": "UTC"}"#, "from"),
                (#"{"from": "07:00", "to": "07:00", "timeZone": "UTC"}"#, "to"),
                (#"{"from": "07:00", "to": "09:00"}"#, "timeZone"),
            ] {
                let answer = try await ada.send(.patch, "/v1/me", text: #"{"settings": {"quietHours": \#(wrong)}}"#)
                try answer.expect(.validationFailed, pointer: "/settings/quietHours/\(pointer)")
            }
        }
    }
}
