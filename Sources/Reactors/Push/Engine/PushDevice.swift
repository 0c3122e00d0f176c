import Foundation

/// What is so of a device at this moment, as far as sending has to do with it.
struct PushDevice: Sendable {
    var address: PushAddress?
    var preview = PushPreview.full
    var locale: String?
    var renewedAt = Date(timeIntervalSince1970: 0)
    var clearedAt: Date?
    var silentUntil: Date?
    var refusedAt: Date?
    var quietHours: QuietTime?
}
