import Messaging

extension Change {
    /// The value that is set; nil where it is cleared or unchanged.
    var newValue: Value? {
        var value: Value?
        applied(to: &value)
        return value
    }
}
