package import EventSourcing
package import Testing

/// The start of a decider's specification: what has happened.
///
///     Given<Conversation>(created, joined).when(.send(message)).then(.messageSent(message))
package struct Given<D: Decider> {
    private let state: D.State

    package init(_ events: D.Event...) {
        self.init(events)
    }

    package init(_ events: [D.Event]) {
        var state = D.initialState
        for event in events { D.evolve(&state, event) }
        self.state = state
    }

    /// Asks for something.
    package func when(_ command: D.Command) -> Outcome<D> {
        do throws(D.Rejection) {
            return .events(try D.decide(command, given: state))
        } catch {
            return .rejection(error)
        }
    }
}

/// The end of a decider's specification: what followed.
package enum Outcome<D: Decider> {
    case events([D.Event])
    case rejection(D.Rejection)

    /// Nothing changed, and nobody needs to be told so.
    package func thenNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        switch self {
        case .events(let events):
            #expect(events.isEmpty, "\(events.count) events followed", sourceLocation: sourceLocation)
        case .rejection(let rejection):
            Issue.record("rejected: \(rejection)", sourceLocation: sourceLocation)
        }
    }

    /// The command was refused for this reason.
    package func thenRejected(_ expected: D.Rejection, sourceLocation: SourceLocation = #_sourceLocation) {
        switch self {
        case .events(let events):
            Issue.record("not rejected: \(events.count) events followed", sourceLocation: sourceLocation)
        case .rejection(let rejection):
            #expect(rejection == expected, sourceLocation: sourceLocation)
        }
    }
}

extension Outcome where D.Event: Equatable {
    /// Exactly these events followed, in this order.
    package func then(_ expected: D.Event..., sourceLocation: SourceLocation = #_sourceLocation) {
        switch self {
        case .events(let events):
            #expect(events == expected, sourceLocation: sourceLocation)
        case .rejection(let rejection):
            Issue.record("rejected: \(rejection)", sourceLocation: sourceLocation)
        }
    }
}
