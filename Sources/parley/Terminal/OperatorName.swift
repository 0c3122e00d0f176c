import Foundation

/// Who gives a command, for what is recorded of it.
enum OperatorName {
    /// The account's name; of somebody who became root to do it, the own one.
    static var current: String {
        ProcessInfo.processInfo.environment["SUDO_USER"] ?? NSUserName()
    }
}
