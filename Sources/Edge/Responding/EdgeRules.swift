package import Identity

/// How the outermost layer treats those who come from outside.
package struct EdgeRules: Sendable {
    package var limiter = RateLimiter.off
    package var trustedProxies = TrustedProxies.none
    /// nil where pages of other origins may not call.
    package var crossOrigin: CrossOrigin?
    /// All that comes has come over TLS to a proxy. Where that varies, a trusted proxy tells.
    package var isBehindTLS = false
    /// Whether browsers may hold sessions over plain HTTP, where others can read them.
    package var cookiesOverHTTP = false
    /// Whether every request is logged when it is answered.
    package var logsRequests = false

    /// What people are shown who browse to an address where there is nothing; nil where no website is served.
    package var missingPage: FixedContent?

    /// What answers that wait for their clients may take together, and those of one caller.
    package var answers = CallerBudget(limit: 256 << 20)
    /// The same for operators, whom no client may keep waiting, and who keep no client waiting. They are few, and often all at
    /// one address: each may take it all.
    package var operatorAnswers = CallerBudget(limit: 16 << 20, leastShare: 16 << 20)

    /// How many reads of one caller are worked on at once, and wait: as many as come at once by the limit for reads, and more
    /// where that is lifted.
    package var readTurns = ReadTurns(permits: 4, places: 1_024)

    /// Begun by whoever stops the server.
    package var drain = Drain()

    package init() {}
}
