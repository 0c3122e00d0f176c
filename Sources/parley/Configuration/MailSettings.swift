import ArgumentParser

/// The settings of mails.
struct MailSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "smtp-url",
            .text,
            isSecret: true,
            "The mail server: smtp://host:587 (STARTTLS, unless it is this machine) or smtps://host:465."
        )
    )
    var url: Setting<String?>

    @Option(Setting(optional: "smtp-user", .text, "Who signs in to the mail server."))
    var user: Setting<String?>

    @Option(Setting(optional: "smtp-password", .text, isSecret: true, "With what password. Better as a variable."))
    var password: Setting<String?>

    @Option(
        Setting(
            optional: "smtp-ca-file",
            .text,
            "A file with the certificates to trust in place of the system's, for a mail server with one of your own."
        )
    )
    var certificates: Setting<String?>

    @Option(Setting(optional: "mail-from", .text, "The sender of mails: name@example.org or Name <name@example.org>."))
    var sender: Setting<String?>

    @Option(
        Setting(
            optional: "app-url",
            .text,
            "Where your app is: mails lead to <url>/reset-password#token=… and <url>/verify-email#token=…."
        )
    )
    var appURL: Setting<String?>

    @Option(
        Setting(
            optional: "operator-email",
            .text,
            "Whom mails about the server itself go to, as of a disabled webhook."
        )
    )
    var operatorAddress: Setting<String?>

    @Option(Setting("mail-rate", default: "10", .wholeNumber(1...1_000), "Mails that this process sends in a second."))
    var ratePerSecond: Setting<Int>

    @Option(
        Setting(
            "reset-token-lifetime",
            default: "30min",
            .duration(from: .seconds(60), to: .seconds(48 * 3600)),
            "How long a mail lets its reader set a new password."
        )
    )
    var resetTokenLifetime: Setting<Duration>

    @Option(
        Setting(
            "email-token-lifetime",
            default: "24h",
            .duration(from: .seconds(60), to: .seconds(48 * 3600)),
            "How long a mail lets its reader verify the address."
        )
    )
    var emailTokenLifetime: Setting<Duration>
}
