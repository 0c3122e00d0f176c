import ArgumentParser

/// The settings of what seals content and guards passwords.
struct SecretSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "master-key",
            .text,
            isSecret: true,
            "32 random bytes in base64 that seal all personal content. Better as a variable or a file."
        )
    )
    var masterKey: Setting<String?>

    @Option(
        Setting(
            optional: "master-key-file",
            .text,
            "A file with the master key; made in the data directory where PostgreSQL is private."
        )
    )
    var masterKeyFile: Setting<String?>

    @Option(
        Setting(
            optional: "other-master-key",
            .text,
            isSecret: true,
            "The key before or after it, while it is rotated: what is wrapped under either can be read."
        )
    )
    var otherMasterKey: Setting<String?>

    @Option(Setting(optional: "other-master-key-file", .text, "A file with that key."))
    var otherMasterKeyFile: Setting<String?>

    @Option(
        Setting(
            "scrypt-cost",
            default: "15",
            .wholeNumber(4...20),
            "The work of checking a password, as a power of two; below 15 only for load tests."
        )
    )
    var scryptCost: Setting<Int>
}
