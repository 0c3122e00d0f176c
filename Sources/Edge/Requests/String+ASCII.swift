extension StringProtocol {
    /// Whether it is ASCII alone: then comparing and hashing it takes time in proportion to its length. Swift compares other
    /// text by its canonical form, which takes the square of its length where a letter has thousands of marks; what clients
    /// send must not be compared before it is known to be short or plain.
    ///
    /// Asks nothing of nearly every string: it knows.
    var isASCII: Bool { utf8.count == utf16.count }
}
