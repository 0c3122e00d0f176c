import Foundation
import Testing

@Suite
struct PushSettingsTests {
    private static let apns = [
        "PARLEY_PUSH_APNS_KEY_FILE": "/nowhere.p8", "PARLEY_PUSH_APNS_KEY_ID": "ABC1234567",
        "PARLEY_PUSH_APNS_TEAM_ID": "TEAM123456", "PARLEY_PUSH_APNS_APPS": "org.example.chat",
    ]
    private static let subject = ["PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@example.com"]

    @Test(
        arguments: [
            (["PARLEY_PUSH_FCM_FILE": "/nowhere.json"], "PARLEY_PUSH_FCM_FILE"),
            (["PARLEY_PUSH_FCM_FILE": "/dev/null"], "PARLEY_PUSH_FCM_FILE"),
            (["PARLEY_PUSH_FCM_URL": "https://example.org"], "PARLEY_PUSH_FCM_FILE"),
            (apns, "PARLEY_PUSH_APNS_KEY_FILE"),
            (apns.merging(["PARLEY_PUSH_APNS_KEY_FILE": "/dev/null"]) { $1 }, "PARLEY_PUSH_APNS_KEY_FILE"),
            (apns.filter { $0.key != "PARLEY_PUSH_APNS_TEAM_ID" }, "PARLEY_PUSH_APNS_TEAM_ID"),
            (apns.filter { $0.key != "PARLEY_PUSH_APNS_APPS" }, "PARLEY_PUSH_APNS_APPS"),
            (["PARLEY_PUSH_APNS_APPS": "org.example.chat"], "PARLEY_PUSH_APNS_KEY_FILE"),
            (subject, "PARLEY_PUSH_VAPID_KEY"),
            (["PARLEY_PUSH_VAPID_KEY": "hunter2"], "PARLEY_PUSH_VAPID_SUBJECT"),
            (subject.merging(["PARLEY_PUSH_VAPID_KEY": "hunter2"]) { $1 }, "PARLEY_PUSH_VAPID_KEY"),
            (subject.merging(["PARLEY_PUSH_VAPID_KEY_FILE": "/dev/null"]) { $1 }, "PARLEY_PUSH_VAPID_KEY_FILE"),
            (
                ["PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@localhost", "PARLEY_PUSH_VAPID_KEY": "hunter2"],
                "PARLEY_PUSH_VAPID_SUBJECT"
            ),
            (["PARLEY_OUTBOUND_ALLOWED_HOSTS": "https://example.org"], "PARLEY_OUTBOUND_ALLOWED_HOSTS"),
        ]
    )
    func `refuses credentials that cannot be used, by the setting's name`(
        environment: [String: String],
        name: String
    ) async throws {
        let ended = try await ParleyProcess.run(["serve", "--port", "0"], environment: environment)
        #expect(ended.code == 78)
        #expect(ended.output.contains(name), "\(ended.output)")
        #expect(!ended.output.contains("hunter2"))
    }

    @Test func `makes a key that it accepts, another one each time`() async throws {
        var keys: Set<String> = []
        for _ in 0..<2 {
            let ended = try await ParleyProcess.run(["push", "keys"])
            #expect(ended.code == 0)
            let match = try #require(ended.output.firstMatch(of: /PARLEY_PUSH_VAPID_KEY=([A-Za-z0-9_\-]{43})\n/))
            keys.insert(String(match.1))
        }
        #expect(keys.count == 2)
        let environment = Self.subject.merging(["PARLEY_PUSH_VAPID_KEY": keys.first ?? ""]) { $1 }
        let ended = try await ParleyProcess.run(["config"], environment: environment)
        #expect(ended.code == 0)
        #expect(!ended.output.contains(keys.first ?? ""))
    }
}
