import Foundation
import Reactors

extension Configuration {
    /// Checks about push what can be checked without reading a file.
    func checkPush() throws(ConfigurationError) {
        try require([push.fcmFile], for: [push.fcmURL])
        let apns = [push.apnsKeyFile, push.apnsKeyID, push.apnsTeamID]
        try require(apns, for: apns)
        try require([push.apnsApps], for: [push.apnsKeyFile])
        try require([push.apnsKeyFile], for: [push.apnsApps])
        try require([push.apnsKeyFile], for: [push.apnsURL])
        let keys = [push.vapidKey, push.vapidKeyFile]
        if push.vapidSubject.value != nil, keys.allSatisfy({ $0.value == nil }) {
            throw ConfigurationError(
                "\(push.vapidSubject.environmentName) is of use only with \(push.vapidKey.environmentName) or "
                    + "\(push.vapidKeyFile.environmentName), which parley push keys makes"
            )
        }
        for key in keys where key.value != nil { try require([push.vapidSubject], for: [key]) }
        if let subject = push.vapidSubject.value { try checkSubject(subject) }
    }

    /// Apple's push service believes nobody who names this machine.
    private func checkSubject(_ subject: String) throws(ConfigurationError) {
        let isMail = subject.wholeMatch(of: /mailto:[^@\s]+@[^@\s]+\.[^@\s]+/) != nil
        let url = URL(string: subject)
        let isPage = url?.scheme == "https" && url?.host?.contains(".") == true
        guard isMail || isPage, subject.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), subject.utf8.count <= 500
        else {
            throw ConfigurationError(
                "\(push.vapidSubject.environmentName) is not of the form mailto:you@example.com or https://example.org/"
            )
        }
    }

    private func require<A: Sendable, B: Sendable>(
        _ needed: [Setting<A?>],
        for settings: [Setting<B?>]
    ) throws(ConfigurationError) {
        guard let given = settings.first(where: { $0.value != nil }),
            let missing = needed.first(where: { $0.value == nil })
        else { return }
        throw ConfigurationError("\(given.environmentName) needs \(missing.environmentName) beside it")
    }

    func fcmAccount() throws(ConfigurationError) -> ServiceAccount? {
        guard let path = push.fcmFile.value else { return nil }
        let json = Data(try content(of: path, push.fcmFile).utf8)
        do throws(PushCredentialError) {
            return try ServiceAccount(json: json)
        } catch {
            throw ConfigurationError("\(push.fcmFile.environmentName): \(path) \(error)")
        }
    }

    func apnsKey() throws(ConfigurationError) -> APNsKey? {
        guard let path = push.apnsKeyFile.value, let id = push.apnsKeyID.value, let team = push.apnsTeamID.value
        else { return nil }
        let pem = try content(of: path, push.apnsKeyFile)
        do throws(PushCredentialError) {
            return try APNsKey(pem: pem, id: id, team: team)
        } catch {
            throw ConfigurationError("\(push.apnsKeyFile.environmentName): \(path) \(error)")
        }
    }

    func vapidKey() throws(ConfigurationError) -> VAPIDKey? {
        let text: String
        let name: String
        if let key = push.vapidKey.value {
            text = key
            name = push.vapidKey.environmentName
        } else if let path = push.vapidKeyFile.value {
            text = try content(of: path, push.vapidKeyFile)
            name = push.vapidKeyFile.environmentName
        } else {
            return nil
        }
        guard let key = VAPIDKey(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ConfigurationError("\(name) is no key as parley push keys makes it: 32 bytes in base64url")
        }
        return key
    }

    private func content(of path: String, _ setting: Setting<String?>) throws(ConfigurationError) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ConfigurationError("\(setting.environmentName): \(path) cannot be read")
        }
        return text
    }
}
