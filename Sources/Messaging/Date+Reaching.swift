import Foundation

extension Date {
    static let halfMillisecond = 0.000_5

    /// Whether this moment has come. Moments are whole milliseconds, and dates binary fractions: two that are the same may
    /// differ in their last bits.
    func isReached(at now: Date) -> Bool {
        timeIntervalSince(now) < Self.halfMillisecond
    }
}
