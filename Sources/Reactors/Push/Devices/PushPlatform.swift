/// A kind of push service.
package enum PushPlatform: String, Sendable, Hashable, CaseIterable {
    case fcm
    case apns
    case webPush = "webpush"
}
