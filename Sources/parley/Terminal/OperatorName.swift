import Foundation

/// Who gives a command, for what is recorded of it.
enum OperatorName {
    /// The account's name; of somebody who became root to do it, the own one.
    static var current: String {
        ProcessInfo.processInfo.environment["SUDO_USER"] ?? NSUserName()
    }

    /// As the audit calls whoever gives a command on the machine; no operator of the API can have such a name by chance.
    static var onConsole: String { "console:\(current)" }
}
