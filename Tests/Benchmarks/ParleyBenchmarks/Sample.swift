import Crypto
import Foundation
import Messaging
import ParleyWire

@testable import EventStore

/// The data of a busy group: always the same, and as large as it is in real chats.
enum Sample {
    static let time = Date(timeIntervalSince1970: 1_790_000_000.123)
    static let owner = id(1)
    static let members = (2...30).map(id)
    static let conversation = id(1_000)

    static let personKey = PersonKey(
        id: id(2_000),
        person: owner,
        secret: SymmetricKey(data: Data(repeating: 7, count: 32))
    )

    static func id(_ number: Int) -> UUID {
        let bytes = withUnsafeBytes(of: (0x0199_0000_0000_7000, UInt64(number).bigEndian)) { Array($0) }
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// Words of a chat, never the same twice and never far from it, so that they compress as real ones do.
    static func text(_ number: Int) -> String {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15 &+ 1
        let drawn = (0..<(6 + number % 13)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words[Int(state >> 33) % words.count]
        }
        return drawn.joined(separator: " ")
    }

    private static let words = """
        the a to it is in that you of and what how I we can not with have on but this just for so if when do was they
        build server "error" install kernel package laptop window driver config file update version screen network user
        works again today tried broken tomorrow maybe really think should could people anyone thanks sorry great
        meeting release patch review merge branch test crash log memory python apt-get sudo reboot 10.04 😀 — déjà
        """.split { $0.isWhitespace }.map(String.init)

    static func send(_ number: Int) -> SendMessage {
        SendMessage(
            messageID: id(10_000 + number),
            sender: owner,
            text: text(number),
            replyTo: nil,
            mentions: [],
            clientTimestamp: time
        )
    }

    static func message(_ number: Int) -> Message {
        Message(
            id: WireID(id(10_000 + number)),
            localId: WireID(id(10_000 + number)),
            conversationId: WireID(conversation),
            seq: Int64(number),
            senderId: WireID(members[number % members.count]),
            text: text(number),
            timestamp: time,
            clientTimestamp: time
        )
    }

    static var history: HistoryPage {
        let people = members.map { (WireID($0), UserSummary(displayName: "Somebody Else")) }
        return HistoryPage(
            items: (1...50).map(message),
            page: PageInfo(olderCursor: "AAAAAAAAAAE", newerCursor: nil, hasOlder: true, hasNewer: false),
            users: Dictionary(people) { first, _ in first }
        )
    }
}
