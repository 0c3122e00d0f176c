import Edge

extension EdgeLimits {
    /// Limits in which nobody runs out of time: many tests run at once, and a client's connection may wait long for its
    /// first request.
    static var patient: EdgeLimits {
        var limits = EdgeLimits()
        limits.idleTimeout = .seconds(3_600)
        limits.headerDeadline = .seconds(3_600)
        limits.bodyDeadline = .seconds(3_600)
        limits.answerDeadline = .seconds(3_600)
        return limits
    }
}
