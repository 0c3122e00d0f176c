/// The samples of the published contract, with ids and times filled in.
enum ContractSamples {
    static let ada = "0195f3ab-c0de-7abc-8def-000000000001"
    static let bob = "0195f3ab-c0de-7abc-8def-000000000002"
    static let conversationID = "0195f3ab-c0de-7abc-8def-0000000000c1"
    static let messageID = "0195f3ab-c0de-7abc-8def-0000000000a1"
    static let time = "2026-03-01T10:00:00.123Z"

    static let conversation = """
        {"id": "\(conversationID)", "type": "direct", "groupName": null, "groupIcon": null, "joinPolicy": null,
         "historyVisibility": null, "permissions": null, "retentionSeconds": null,
         "slowModeSeconds": null, "participantIds": ["\(ada)"], "participantCount": 2,
         "participants": [{"userId": "\(ada)", "displayName": "Ada", "photoURL": null, "role": "member",
                           "joinedAt": "\(time)", "revision": 4700}],
         "lastMessage": {"id": "\(messageID)", "seq": 120, "senderId": "\(ada)", "text": "See you", "kind": "text",
                         "timestamp": "\(time)"},
         "headSeq": 120, "unreadCount": 2, "mentionCount": 0, "firstUnreadSeq": 119,
         "me": {"role": "member", "deliveredSeq": 120, "readSeq": 118, "mutedUntil": null,
                "notificationLevel": "all", "archived": false, "pinned": false, "pinnedAt": null, "draft": null, "draftUpdatedAt": null,
                "markedUnread": false, "cleared": false},
         "createdBy": "\(ada)", "createdAt": "\(time)", "updatedAt": "\(time)", "revision": 4710}
        """

    static let message = """
        {"id": "\(messageID)", "localId": "\(messageID)", "conversationId": "\(conversationID)", "seq": 120,
         "senderId": "\(ada)", "kind": "text", "text": "See you at 7", "data": null,
         "replyTo": null, "mentions": [], "attachments": [], "reactions": [],
         "timestamp": "\(time)", "clientTimestamp": null, "editedAt": null, "deletedAt": null, "revision": 4711,
         "status": "sent", "recipientCount": 9, "deliveredCount": 0, "readCount": 0, "deliveredTo": {}, "readBy": {}}
        """

    static let user = """
        {"id": "\(ada)", "displayName": "Ada", "photoURL": null,
         "presence": {"status": "online", "lastSeen": null}, "createdAt": "\(time)"}
        """
}
