import Edge
import Foundation
import Identity
import Messaging
import ParleyWire

/// What a request to change the own profile asks for, checked.
struct ProfileFields {
    let change: ProfileChange
    /// The image that is to be the photo.
    let photo: UUID?
    /// Kept beside the log.
    let quietHours: Change<QuietHours>

    init(_ fields: Fields, displayNameRule: DisplayNameRule) throws(HTTPProblem) {
        var fields = fields
        // A name, once given, can be changed and not taken back: others are to know whom they talk to.
        fields.refuseNull("displayName")
        let displayName = fields.text("displayName", 0...TextRules.maxCredential)
        let isPhotoCleared = fields.isNull("photoURL")
        photo = fields.picture("photoURL")
        let settings = fields.object("settings") { Settings(&$0) }
        guard fields.areValid else { throw fields.problem }
        quietHours = settings?.quietHours ?? .unchanged
        change = ProfileChange(
            displayName: try Self.check(displayName, displayNameRule),
            photoURL: isPhotoCleared ? .cleared : .unchanged,
            readReceipts: settings?.readReceipts,
            showPresence: settings?.showPresence,
            timeZone: settings?.timeZone ?? .unchanged,
            locale: settings?.locale ?? .unchanged
        )
    }

    /// The change with the photo that belongs to the person by now.
    func change(to photo: String) -> ProfileChange {
        ProfileChange(
            displayName: change.displayName,
            photoURL: .set(photo),
            readReceipts: change.readReceipts,
            showPresence: change.showPresence,
            timeZone: change.timeZone,
            locale: change.locale
        )
    }

    private struct Settings {
        let readReceipts: Bool?
        let showPresence: Bool?
        let timeZone: Change<String>
        let locale: Change<String>
        let quietHours: Change<QuietHours>

        init(_ fields: inout Fields) {
            fields.refuseNull("readReceipts")
            readReceipts = fields.bool("readReceipts")
            fields.refuseNull("showPresence")
            showPresence = fields.bool("showPresence")
            timeZone = fields.change("timeZone") { $0.identifier($1, 1...64, separator: "/") }
            locale = fields.change("locale") { $0.identifier($1, 1...35, separator: "-") }
            quietHours = fields.change("quietHours") { fields, name in
                fields.object(name) { QuietHours(&$0) }
            }
        }
    }

    private static func check(_ displayName: String?, _ rule: DisplayNameRule) throws(HTTPProblem) -> String? {
        guard let displayName else { return nil }
        do {
            return try rule.check(displayName)
        } catch {
            throw .invalid([FieldProblem(error)])
        }
    }
}

extension QuietHours {
    fileprivate init?(_ fields: inout Fields) {
        let from = Self.time("from", &fields)
        let to = Self.time("to", &fields)
        let zone = fields.identifier("timeZone", 1...64, separator: "/")
        if !fields.has("timeZone") { fields.fail("timeZone", .required, "The field is required.") }
        if let from, from == to { fields.fail("to", .invalid, "Another time than `from` is expected.") }
        guard let from, let to, let zone, fields.areValid else { return nil }
        self.init(from: from, to: to, timeZone: zone)
    }

    private static func time(_ name: String, _ fields: inout Fields) -> String? {
        guard let text = fields.text(name, 1...5, required: true) else { return nil }
        if minute(of: text) != nil { return text }
        fields.fail(name, .invalid, "A time such as 22:00 is expected.")
        return nil
    }
}
