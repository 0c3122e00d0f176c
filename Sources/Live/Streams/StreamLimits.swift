/// The bounds of streams.
struct StreamLimits: Sendable {
    var streamsPerSession = 8
    /// What waits for one slow client before it is served from the log.
    var bufferedChunks = 1_024
    var bufferedBytes = 1 << 20
    /// What is remembered for streams that are about to join.
    var recentItems = 4_096
    var recentBytes = 8 << 20
    /// After so many checks in a row, one per second, that found a write waiting for its client, the client is cut off.
    var stalledChecks = 60
    /// How many clients that come back are served from the database at once.
    var catchUps = 6
    /// How many of them may wait; more are told to come back later.
    var waitingCatchUps = 2_000
    /// How many syncs of one person may wait or be served at once: one for each device, and some.
    var catchUpsPerPerson = 16
    /// How often a client hears something while it waits for what it has missed.
    var heartbeat: Duration = .seconds(25)
}
