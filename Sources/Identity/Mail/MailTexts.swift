import Foundation

/// What mails say.
struct MailTexts: Sendable {
    /// Where the app is, if it is known.
    let appURL: String?

    struct Text: Sendable {
        let subject: String
        let text: String
    }

    func verifyEmail(_ token: Secret, goodFor lifetime: Duration) -> Text {
        Text(
            subject: "Confirm your email address",
            text: """
                Welcome! Please confirm that this is your address:

                \(invitation(path: "verify-email", token))

                This is possible for \(Self.words(lifetime)). If you have not signed up, you need not do anything.

                """
        )
    }

    func resetPassword(_ token: Secret, goodFor lifetime: Duration) -> Text {
        Text(
            subject: "Set a new password",
            text: """
                Somebody, hopefully you, asked for a new password for your account. To set one:

                \(invitation(path: "reset-password", token))

                This is possible once, for \(Self.words(lifetime)). It signs you out on all devices. If you have not asked
                for it, you need not do anything: your password stays as it is.

                """
        )
    }

    func passwordChanged() -> Text {
        Text(
            subject: "Your password was changed",
            text: """
                The password of your account was changed, and other devices were signed out.

                If that was not you, set a new password at once: choose "forgot password" where you sign in.

                """
        )
    }

    func accountLinked() -> Text {
        Text(
            subject: "A new way to sign in to your account",
            text: """
                Somebody, hopefully you, has signed in to your account through another service that knows you by this address.
                From now on that service opens your account, beside your password.

                If that was not you, tell those who run this server.

                """
        )
    }

    /// By its id alone: a URL may hold secrets.
    func webhookDisabled(_ webhook: UUID?) -> Text {
        let id = webhook?.uuidString.lowercased()
        return Text(
            subject: "A webhook is disabled",
            text: """
                A webhook's server has taken nothing for days, or has said that it is gone: it is sent nothing more.

                It is \(id ?? "one that GET /admin/v1/webhooks shows to be disabled").

                `GET /admin/v1/webhooks` says where it leads, `GET /admin/v1/webhooks/{id}/deliveries` what it answered. What
                happens meanwhile is not lost: `PATCH /admin/v1/webhooks/{id}` with {"enabled": true} goes on where it ended.

                """
        )
    }

    /// The token is in the fragment, which browsers send to no server and in no referrer.
    private func invitation(path: String, _ token: Secret) -> String {
        guard let appURL else { return "Paste this into the app:\n\n\(token.exposed)" }
        return "\(appURL)/\(path)#token=\(token.exposed)"
    }

    private static func words(_ lifetime: Duration) -> String {
        let minutes = max(1, Int((lifetime.seconds / 60).rounded()))
        if minutes == 1 { return "one minute" }
        return minutes % 60 == 0 && minutes > 60 ? "\(minutes / 60) hours" : "\(minutes) minutes"
    }
}
