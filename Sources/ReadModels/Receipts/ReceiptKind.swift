/// Which of a member's two marks, as `receipt_ranges` stores it.
enum ReceiptKind: Int16, Sendable {
    case delivered = 1
    case read = 2
}
