import Outbound

/// The words that say why, as rows and logs have them.
enum PushReason {
    /// A service's word, if it is one: whoever answers may say anything.
    static func word(_ text: String?) -> String {
        guard let text, (1...48).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isLetter && $0 < 0x80 })
        else { return "other" }
        return text
    }
}

extension PushOutcome {
    /// What follows where there was no answer.
    init(_ error: OutboundError) {
        switch error.kind {
        // Nobody outside is reached there, today and tomorrow.
        case .refusedURL, .refusedAddress: self = .addressRefused(reason: error.kind.rawValue)
        case .unresolvable, .timedOut, .tooLarge, .tls, .connection, .busy, .closed, .cancelled:
            self = .retry(after: nil, reason: error.kind.rawValue)
        }
    }
}
