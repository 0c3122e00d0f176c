/// How much of what other transactions do meanwhile a transaction sees.
package enum IsolationLevel: Sendable {
    case readCommitted
    case repeatableRead
    case serializable

    func begin(readOnly: Bool) -> SQL {
        switch (self, readOnly) {
        case (.readCommitted, false): "BEGIN ISOLATION LEVEL READ COMMITTED"
        case (.readCommitted, true): "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
        case (.repeatableRead, false): "BEGIN ISOLATION LEVEL REPEATABLE READ"
        case (.repeatableRead, true): "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case (.serializable, false): "BEGIN ISOLATION LEVEL SERIALIZABLE"
        case (.serializable, true): "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY"
        }
    }
}
