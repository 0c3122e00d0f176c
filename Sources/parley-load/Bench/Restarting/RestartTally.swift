import ParleyWire

/// What one client saw while the processes that serve it were restarted.
struct RestartTally: Sendable {
    /// Streams that ended and were opened again.
    var reconnects = 0
    /// Streams that could not go on from their cursor: everything had to be fetched anew.
    var resets = 0
    /// Requests that were answered.
    var requests = 0
    /// Attempts that were not, by what was answered instead.
    var refusals: [String: Int] = [:]
    /// The longest time from the first attempt to the answer, in seconds.
    var longestSend = 0.0
    /// The longest time without a stream, in seconds.
    var longestSilence = 0.0
    /// Messages of the client's that were acknowledged.
    var acknowledged: Set<WireID> = []
    /// How often each message was received.
    var received: [WireID: Int] = [:]

    var doubled: Int { received.values.count { $0 > 1 } }

    func missing(of messages: Set<WireID>) -> Int { messages.count { received[$0] == nil } }
}
