import Foundation
import Reactors
import Testing

@Suite struct PushRedactionTests {
    @Test func `an address and a notification show nothing of themselves in logs`() throws {
        let address = PushAddress.fcm(.token("token-of-a-phone"))
        let notification = PushNotification(
            id: UUID(),
            kind: .alert,
            title: "Ada",
            body: "words of Ada",
            badge: 1,
            conversationID: UUID(),
            expires: Date()
        )
        for text in ["\(address)", String(reflecting: address), "\(notification)", String(reflecting: notification)] {
            #expect(!text.contains("phone") && !text.contains("Ada"), "\(text)")
        }
        var dumped = ""
        dump((address, notification), to: &dumped)
        #expect(!dumped.contains("phone") && !dumped.contains("Ada"), "\(dumped)")
    }
}
