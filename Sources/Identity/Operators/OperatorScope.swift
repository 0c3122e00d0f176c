/// What an operator's token allows.
package enum OperatorScope: String, CaseIterable, Sendable {
    /// To look.
    case read
    /// To look and to change.
    case act
}
