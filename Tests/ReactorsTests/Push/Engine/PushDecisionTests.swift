import Foundation
import ParleyWire
import ReadModels
import Testing

@testable import Reactors

@Suite struct PushDecisionTests {
    private let now = Date(timeIntervalSince1970: 1_772_359_200)
    private let sender = UUID()
    private let apns = PushAddress.apns(token: "aabb", app: "org.example", isSandbox: false)
    private let fcm = PushAddress.fcm(.token("token"))

    private func job(
        pending: Int = 1,
        notified: Int = 0,
        shown: Int64? = nil,
        age: TimeInterval = 1,
        seq: Int64 = 10,
        attempts: Int = 0
    ) -> PushJob {
        PushJob(
            conversation: UUID(),
            person: UUID(),
            device: UUID(),
            origin: "apns",
            message: UUID(),
            newestAt: now.addingTimeInterval(-age),
            fromSeq: seq - Int64(max(pending, 1)) + 1,
            seq: seq,
            shownSeq: shown,
            pending: pending,
            notified: notified,
            attempts: attempts
        )
    }

    private func facts(
        _ text: String? = "See you at 7",
        group: String? = nil,
        change: (inout PushFacts) -> Void = { _ in }
    )
        -> PushFacts
    {
        var facts = PushFacts()
        facts.readSeq = 5
        facts.unread = 5
        facts.news = 5
        facts.badge = 8
        facts.groupName = group
        facts.message = PushFacts.Message(id: UUID(), sender: sender, senderName: "Ada", text: text)
        change(&facts)
        return facts
    }

    private func device(_ change: (inout PushDevice) -> Void = { _ in }) -> PushDevice {
        var device = PushDevice(address: apns)
        change(&device)
        return device
    }

    private func sent(_ decision: PushDecision) throws -> PushNotification {
        guard case .send(let notification, _) = decision else {
            Issue.record("\(decision)")
            throw NeverHappened()
        }
        return notification
    }

    @Test func `a message is told with its sender, its text and the whole number of unread messages`() throws {
        let notification = try sent(PushDecision(job(), facts(), device(), at: now))
        #expect(notification.kind == .alert)
        #expect(notification.title == "Ada" && notification.body == "See you at 7")
        #expect(notification.badge == 8)
        #expect(notification.senderID == sender)
        let group = try sent(PushDecision(job(), facts(group: "Friends"), device(), at: now))
        #expect(group.title == "Ada · Friends")
    }

    @Test func `a long text is cut between two characters as people see them`() throws {
        let family = "👨‍👩‍👧‍👦"
        let text = String(repeating: family, count: 120)
        let body = try sent(PushDecision(job(), facts(text), device(), at: now)).body
        #expect(body.hasSuffix("…"))
        #expect(body.dropLast().allSatisfy { String($0) == family })
        let letters = try sent(PushDecision(job(), facts(String(repeating: "ä", count: 101)), device(), at: now)).body
        #expect(letters == String(repeating: "ä", count: 100) + "…")
        let marks = "a" + String(repeating: "\u{301}", count: 5_000)
        let bounded = try sent(PushDecision(job(), facts(marks), device(), at: now)).body
        #expect(bounded.unicodeScalars.count <= 501)
    }

    @Test func `files are named by their kind where there is no text`() throws {
        for (kind, english, german) in [
            (AttachmentKind.image, "Photo", "Foto"), (.audio, "Voice message", "Sprachnachricht"),
            (.file, "File", "Datei"),
        ] {
            let facts = facts { facts in
                facts.message = PushFacts.Message(
                    id: UUID(),
                    sender: self.sender,
                    senderName: "Ada",
                    text: "",
                    files: [kind]
                )
            }
            #expect(try sent(PushDecision(job(), facts, device(), at: now)).body == english)
            #expect(try sent(PushDecision(job(), facts, device { $0.locale = "de-AT" }, at: now)).body == german)
        }
    }

    @Test func `a device shows no more than it wants to`() throws {
        let sender = try sent(PushDecision(job(), facts(), device { $0.preview = .sender }, at: now))
        #expect(sender.title == "Ada" && sender.body == "New message")
        let none = try sent(PushDecision(job(), facts(group: "Friends"), device { $0.preview = .none }, at: now))
        #expect(none.title == "New message" && none.body == "")
        let several = try sent(PushDecision(job(pending: 3), facts(), device { $0.preview = .none }, at: now))
        #expect(several.body == "3 new messages")
    }

    @Test func `several messages are one summary, which counts what is shown already`() throws {
        let notification = try sent(
            PushDecision(job(pending: 3, notified: 1), facts(group: "Friends"), device(), at: now)
        )
        #expect(notification.title == "Friends" && notification.body == "4 new messages")
        // No more than there are to be read.
        let read = facts { $0.unread = 2 }
        #expect(try sent(PushDecision(job(pending: 3, notified: 9), read, device(), at: now)).body == "2 new messages")
        // Nor of what was deleted since, or said by somebody who is blocked since.
        let fewer = facts { $0.news = 2 }
        #expect(try sent(PushDecision(job(pending: 4, notified: 1), fewer, device(), at: now)).body == "3 new messages")
    }

    @Test func `of several messages nothing is told once nothing of them is to be told`() {
        let blocked = facts { facts in
            facts.news = 0
            facts.message = PushFacts.Message(
                id: UUID(),
                sender: self.sender,
                senderName: "Ada",
                text: "",
                isSenderBlocked: true
            )
        }
        #expect(PushDecision(job(pending: 2), blocked, device(), at: now) == .drop(.blocked))
        #expect(PushDecision(job(pending: 1), blocked, device(), at: now) == .drop(.blocked))
        let deleted = facts { facts in
            facts.news = 0
            facts.message = nil
        }
        #expect(PushDecision(job(pending: 2), deleted, device(), at: now) == .drop(.deleted))
    }

    @Test func `what is older than 15 minutes is a digest without texts, and what is older than a week is nothing`()
        throws
    {
        let decision = PushDecision(job(age: 901), facts(), device(), at: now)
        guard case .send(let digest, .digest) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(digest.body == "New message")
        #expect(PushDecision(job(age: 8 * 86_400), facts(), device(), at: now) == .drop(.tooOld))
    }

    @Test func `nobody is told who does not want to be, or need not be`() {
        let cases: [(PushDecision.Reason, PushFacts)] = [
            (.notMember, facts { $0.isMember = false }),
            (.muted, facts { $0.mutedUntil = self.now.addingTimeInterval(60) }),
            (.level, facts { $0.level = .none }),
            (.level, facts { $0.level = .mentions }),
            (.read, facts { $0.readSeq = 10 }),
            (.read, facts { $0.unread = 0 }),
            (.deleted, facts { $0.message = nil }),
        ]
        for (reason, facts) in cases { #expect(PushDecision(job(), facts, device(), at: now) == .drop(reason)) }
        #expect(PushDecision(job(), facts(), PushDevice(), at: now) == .drop(.noAddress))
        // A mute that is over is none.
        let over = facts { $0.mutedUntil = self.now.addingTimeInterval(-1) }
        if case .drop(let reason) = PushDecision(job(), over, device(), at: now) { Issue.record("\(reason)") }
    }

    @Test func `quiet hours change the number alone, and nothing in a browser`() throws {
        // 10:00 UTC is 11:00 in Berlin in March.
        let quiet = QuietTime(from: 10 * 60, to: 12 * 60, timeZone: "Europe/Berlin")
        let decision = PushDecision(job(), facts(), device { $0.quietHours = quiet }, at: now)
        guard case .send(let badge, .badge) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(badge.kind == .badge && badge.badge == 8 && badge.title.isEmpty && badge.body.isEmpty)
        let browser = device { device in
            device.address = .webPush(endpoint: URL(fileURLWithPath: "/"), p256dh: [], auth: [])
            device.quietHours = quiet
        }
        #expect(PushDecision(job(), facts(), browser, at: now) == .drop(.quiet))
    }

    @Test(arguments: [
        (22 * 60, 7 * 60, 23, true), (22 * 60, 7 * 60, 6, true), (22 * 60, 7 * 60, 7, false),
        (22 * 60, 7 * 60, 12, false),
        (9 * 60, 17 * 60, 9, true), (9 * 60, 17 * 60, 17, false),
    ]) func `quiet hours may go over midnight`(from: Int, to: Int, hour: Int, isQuiet: Bool) {
        let date = Date(timeIntervalSince1970: Double(hour) * 3_600)
        #expect(QuietTime(from: from, to: to, timeZone: "UTC").hold(date) == isQuiet)
        #expect(!QuietTime(from: 0, to: 1_439, timeZone: "Mars/Olympus").hold(date))
    }

    @Test func `what was read elsewhere is taken away, as often as a service likes it`() throws {
        let shown = job(pending: 0, notified: 1, shown: 10)
        let read = facts { facts in
            facts.readSeq = 10
            facts.unread = 0
        }
        let decision = PushDecision(shown, read, device(), at: now)
        guard case .send(let clear, .clear) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(clear.kind == .clear)
        let recently = device { $0.clearedAt = self.now.addingTimeInterval(-60) }
        #expect(PushDecision(shown, read, recently, at: now) == .drop(.notCleared))
        let android = device { device in
            device.address = self.fcm
            device.clearedAt = self.now
        }
        if case .drop = PushDecision(shown, read, android, at: now) { Issue.record("not taken away") }
        let browser = device { $0.address = .webPush(endpoint: URL(fileURLWithPath: "/"), p256dh: [], auth: []) }
        #expect(PushDecision(shown, read, browser, at: now) == .drop(.notCleared))
    }

    @Test func `each try in vain is followed by a longer wait, half as much more or less`() {
        let steps: [(attempts: Int, seconds: Double)] = [(0, 1), (1, 4), (2, 15), (3, 60), (4, 60)]
        for (attempts, seconds) in steps {
            let job = job(attempts: attempts)
            #expect(job.backOff(1) == .seconds(seconds))
            let range = Duration.seconds(seconds / 2)...Duration.seconds(seconds * 1.5)
            let waits = Set((0..<100).map { _ in job.backOff() })
            #expect(waits.count > 1 && waits.allSatisfy { range.contains($0) })
        }
    }

    @Test func `each try of one notification has the same id, and no other has it`() {
        let one = job()
        #expect(PushNotification.id(of: one, .alert) == PushNotification.id(of: one, .alert))
        #expect(PushNotification.id(of: one, .alert) != PushNotification.id(of: one, .clear))
        #expect(PushNotification.id(of: one, .alert) != PushNotification.id(of: job(), .alert))
    }
}
