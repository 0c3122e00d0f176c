import Edge
import Foundation
import ParleyWire
import Reactors

/// What a request to register a device says, checked.
struct DeviceFields {
    let registration: DeviceRegistration

    private enum Environment: String {
        case production, sandbox
    }

    init(_ fields: Fields) throws(HTTPProblem) {
        var fields = fields
        let platform = Self.platform(&fields)
        let app = Self.app(&fields, isRequired: platform == .apns)
        let isSandbox = fields.choice("environment", of: Environment.self) == .sandbox
        // What is not known here may ask for less than all.
        let otherwise = fields.has("preview") ? PushPreview.none : .full
        let preview = fields.choice("preview", of: PushPreview.self) ?? otherwise
        let locale = fields.identifier("locale", 1...35, separator: "-")
        let address: PushAddress? =
            switch platform {
            case .fcm: Self.fcm(&fields)
            case .apns:
                Self.apnsToken(&fields).flatMap { token in
                    app.map { PushAddress.apns(token: token, app: $0, isSandbox: isSandbox) }
                }
            case .webPush: fields.object("subscription") { WebSubscription(&$0)?.address }
            case nil: nil
            }
        if platform == .webPush, !fields.has("subscription") {
            fields.fail("subscription", .required, "The field is required.")
        }
        guard let address, fields.areValid else { throw fields.problem }
        registration = DeviceRegistration(address: address, preview: preview, locale: locale)
    }

    private static func platform(_ fields: inout Fields) -> PushPlatform? {
        guard let name = fields.text("platform", 1...16, required: true) else { return nil }
        if let platform = PushPlatform(rawValue: name) { return platform }
        fields.fail("platform", .invalid, "One of fcm, apns and webpush is expected.")
        return nil
    }

    private static func app(_ fields: inout Fields, isRequired: Bool) -> String? {
        guard let app = fields.text("app", 1...200, required: isRequired) else { return nil }
        if isPrintable(app) { return app }
        fields.fail("app", .invalid, "A name such as org.example.chat is expected.")
        return nil
    }

    private static func fcm(_ fields: inout Fields) -> PushAddress? {
        if fields.has("fid") {
            guard let fid = fields.text("fid", 1...256) else { return nil }
            if isPrintable(fid) { return .fcm(.fid(fid)) }
            fields.fail("fid", .invalid, "A Firebase installation ID is expected.")
            return nil
        }
        guard let token = fields.text("token", 1...4_096, required: true) else { return nil }
        if isPrintable(token) { return .fcm(.token(token)) }
        fields.fail("token", .invalid, "A registration token is expected.")
        return nil
    }

    private static func apnsToken(_ fields: inout Fields) -> String? {
        guard let token = fields.text("token", 1...4_096, required: true) else { return nil }
        let isHex = token.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        if isHex, (32...200).contains(token.utf8.count), token.utf8.count % 2 == 0 { return token.lowercased() }
        fields.fail("token", .invalid, "A device token in hexadecimal is expected.")
        return nil
    }

    static func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

/// A browser's subscription, as its `toJSON()` gives it.
private struct WebSubscription {
    let address: PushAddress

    init?(_ fields: inout Fields) {
        let endpoint = Self.endpoint(&fields)
        let hasKeys = fields.has("keys")
        if !hasKeys { fields.fail("keys", .required, "The field is required.") }
        let keys = fields.object("keys") { keys in
            (Self.publicKey(&keys), Self.bytes("auth", 16, &keys))
        }
        guard let endpoint, let p256dh = keys?.0, let auth = keys?.1 else { return nil }
        address = .webPush(endpoint: endpoint, p256dh: p256dh, auth: auth)
    }

    /// Whether it leads somewhere that may be asked is decided when it is.
    private static func endpoint(_ fields: inout Fields) -> URL? {
        guard let text = fields.text("endpoint", 1...2_048, required: true) else { return nil }
        let isPlain = text.wholeMatch(of: /https:\/\/[A-Za-z0-9.\-]{1,253}(:[1-9][0-9]{0,4})?(\/[!-~]*)?/) != nil
        if isPlain, let url = URL(string: text), url.host?.isEmpty == false, (url.port ?? 443) <= 65_535 { return url }
        fields.fail("endpoint", .invalid, "An https URL is expected.")
        return nil
    }

    private static func publicKey(_ fields: inout Fields) -> [UInt8]? {
        guard let bytes = bytes("p256dh", 65, &fields) else { return nil }
        if PushAddress.isPublicKey(bytes) { return bytes }
        fields.fail("p256dh", .invalid, "A point of the curve P-256 is expected.")
        return nil
    }

    private static func bytes(_ name: String, _ count: Int, _ fields: inout Fields) -> [UInt8]? {
        guard let text = fields.text(name, 1...128, required: true) else { return nil }
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            .filter { $0 != "=" }
        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        if let data = Data(base64Encoded: padded), data.count == count { return Array(data) }
        fields.fail(name, .invalid, "\(count) bytes in base64url are expected.")
        return nil
    }
}
