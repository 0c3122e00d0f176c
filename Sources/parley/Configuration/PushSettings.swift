import ArgumentParser
import Foundation

/// The settings of push notifications: a service is used where its credentials are.
struct PushSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "push-fcm-file",
            .text,
            "The file of the service account for Firebase Cloud Messaging: Android."
        )
    )
    var fcmFile: Setting<String?>

    @Option(Setting(optional: "push-fcm-url", .endpoint, "Where Firebase Cloud Messaging is, if not at Google."))
    var fcmURL: Setting<URL?>

    @Option(Setting(optional: "push-apns-key-file", .text, "The .p8 file of the key for Apple's service."))
    var apnsKeyFile: Setting<String?>

    @Option(Setting(optional: "push-apns-key-id", .text, "The identifier of that key: ten characters."))
    var apnsKeyID: Setting<String?>

    @Option(Setting(optional: "push-apns-team-id", .text, "The identifier of the team that it is of: ten characters."))
    var apnsTeamID: Setting<String?>

    @Option(
        Setting(
            optional: "push-apns-apps",
            .names,
            "The bundle identifiers of the apps that it is for, with commas between."
        )
    )
    var apnsApps: Setting<[String]?>

    @Option(Setting(optional: "push-apns-url", .endpoint, "Where Apple's service is, if not at Apple."))
    var apnsURL: Setting<URL?>

    @Option(
        Setting(
            optional: "push-vapid-key",
            .text,
            isSecret: true,
            "The server's key for Web Push, as parley push keys makes it. Better as a variable or a file."
        )
    )
    var vapidKey: Setting<String?>

    @Option(Setting(optional: "push-vapid-key-file", .text, "A file with that key."))
    var vapidKeyFile: Setting<String?>

    @Option(
        Setting(
            optional: "push-vapid-subject",
            .text,
            "Where push services reach you: mailto:you@example.com, or an https URL."
        )
    )
    var vapidSubject: Setting<String?>
}
