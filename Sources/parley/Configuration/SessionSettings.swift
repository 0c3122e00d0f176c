import ArgumentParser

/// The settings of devices that are signed in.
struct SessionSettings: ParsableArguments {
    @Option(
        Setting(
            "access-token-lifetime",
            default: "15min",
            .duration(from: .seconds(1), to: .seconds(12 * 3600)),
            "How long an access token is good for."
        )
    )
    var accessTokenLifetime: Setting<Duration>

    @Option(
        Setting(
            "refresh-token-lifetime",
            default: "60d",
            .duration(from: .seconds(60), to: .seconds(366 * 86_400)),
            "How long a device stays signed in without being used."
        )
    )
    var refreshTokenLifetime: Setting<Duration>

    @Option(
        Setting(
            "max-sessions",
            default: "100",
            .wholeNumber(1...1_000),
            "Devices that an account may be signed in on; one more signs out the one unseen the longest."
        )
    )
    var maxSessions: Setting<Int>
}
