import ArgumentParser
import Identity
import ReadModels

/// The settings of what people may do, and of how they are found.
struct ConversationSettings: ParsableArguments {
    @Option(Setting("max-group-size", default: "10000", .wholeNumber(3...100_000), "Members that a group may have."))
    var maxGroupSize: Setting<Int>

    @Option(
        Setting(
            optional: "reserved-names",
            .names,
            "Display names, with commas between, that nobody may bear besides \(ReservedNames.standard.listed)."
        )
    )
    var reservedNames: Setting<[String]?>

    @Option(
        Setting("max-scheduled", default: "100", .wholeNumber(1...10_000), "Messages that a person may have scheduled.")
    )
    var maxScheduled: Setting<Int>

    @Option(
        Setting(
            "edit-window",
            default: "24h",
            .duration(from: .zero, to: .seconds(3_650 * 86_400)),
            "How long after sending a message its author may edit it; 0s allows no edits."
        )
    )
    var editWindow: Setting<Duration>

    @Option(
        Setting(
            "search-language",
            default: "simple",
            .searchLanguage,
            "The language of messages, whose words are searched in all their forms; simple is for any, word by word."
        )
    )
    var searchLanguage: Setting<SearchLanguage>
}
