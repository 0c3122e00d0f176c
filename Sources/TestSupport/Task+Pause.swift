extension Task where Success == Never, Failure == Never {
    /// Lets 10 ms pass before a test asks once more whether something is so.
    ///
    /// Whoever asks without end takes a processor from what is waited for, and from all the tests beside it. No time is waited
    /// for: what is asked says when to go on.
    package static func pause() async {
        // Where the test is cancelled it ends at once; then it yields all the same.
        try? await Task.sleep(for: .milliseconds(10))
        await Task.yield()
    }
}
