/// How long what a mail holds is good for, and how long its delivery is tried.
struct MailLifetimes: Sendable {
    let reset: Duration
    let verification: Duration
    /// A mail that only tells something.
    static let notice: Duration = .seconds(2 * 86_400)
}
