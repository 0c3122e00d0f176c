package import Outbound

/// What a webhook's server made of a message.
package enum WebhookResult: Sendable, Hashable {
    /// It answered with this status.
    case answered(Int)
    /// It did not answer.
    case unanswered(OutboundError.Kind)

    package var isAccepted: Bool { if case .answered(200...299) = self { true } else { false } }

    /// It says that it will never be there again.
    var isGone: Bool { self == .answered(410) }

    /// Nothing that its server can be blamed for.
    var isOurs: Bool {
        switch self {
        case .unanswered(.busy), .unanswered(.closed), .unanswered(.cancelled): true
        case .answered, .unanswered: false
        }
    }

    package var status: Int? { if case .answered(let status) = self { status } else { nil } }

    package var reason: String? { if case .unanswered(let kind) = self { kind.rawValue } else { nil } }
}
