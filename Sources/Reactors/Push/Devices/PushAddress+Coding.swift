import Foundation

/// How an address is stored, beneath its person's key.
extension PushAddress {
    private struct Stored: Codable {
        var token: String?
        var fid: String?
        var app: String?
        var isSandbox: Bool?
        var endpoint: String?
        var p256dh: Data?
        var auth: Data?
    }

    func encoded() throws -> [UInt8] {
        var stored = Stored()
        switch self {
        case .fcm(.token(let token)): stored.token = token
        case .fcm(.fid(let fid)): stored.fid = fid
        case .apns(let token, let app, let isSandbox):
            (stored.token, stored.app, stored.isSandbox) = (token, app, isSandbox)
        case .webPush(let endpoint, let p256dh, let auth):
            (stored.endpoint, stored.p256dh, stored.auth) = (endpoint.absoluteString, Data(p256dh), Data(auth))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(stored))
    }

    /// Nil for what is none.
    init?(encoded bytes: [UInt8], platform: PushPlatform) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)) else { return nil }
        switch platform {
        case .fcm:
            if let token = stored.token {
                self = .fcm(.token(token))
            } else if let fid = stored.fid {
                self = .fcm(.fid(fid))
            } else {
                return nil
            }
        case .apns:
            guard let token = stored.token, let app = stored.app else { return nil }
            self = .apns(token: token, app: app, isSandbox: stored.isSandbox ?? false)
        case .webPush:
            guard let endpoint = stored.endpoint.flatMap(URL.init), let p256dh = stored.p256dh, let auth = stored.auth
            else { return nil }
            self = .webPush(endpoint: endpoint, p256dh: Array(p256dh), auth: Array(auth))
        }
    }

    package var platform: PushPlatform {
        switch self {
        case .fcm: .fcm
        case .apns: .apns
        case .webPush: .webPush
        }
    }

    /// What fails together: the platform, or, of Web Push, the push service.
    var origin: String {
        switch self {
        case .fcm: "fcm"
        case .apns(_, _, let isSandbox): isSandbox ? "apns-sandbox" : "apns"
        case .webPush(let endpoint, _, _): endpoint.host?.lowercased() ?? ""
        }
    }

    /// The app that the address is of, where that tells addresses apart.
    package var app: String {
        if case .apns(_, let app, _) = self { app } else { "" }
    }

    /// What is the same for equal addresses: a subscription's keys may change.
    var identity: [UInt8] {
        switch self {
        case .fcm(.token(let token)): Array("token \(token)".utf8)
        case .fcm(.fid(let fid)): Array("fid \(fid)".utf8)
        case .apns(let token, _, _): Array(token.lowercased().utf8)
        case .webPush(let endpoint, _, _): Array(endpoint.absoluteString.utf8)
        }
    }
}
