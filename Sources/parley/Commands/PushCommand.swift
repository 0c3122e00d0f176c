import ArgumentParser
import Reactors

/// What an operator does about push notifications.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Make the key for push notifications to browsers.",
        subcommands: [PushKeys.self]
    )
}

struct PushKeys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make a key for Web Push, and print it as a setting.",
        discussion: """
            Make one, once: browsers bind what they subscribe to the key, so that with another one nobody is reached until \
            each has subscribed again. Clients get the public key from GET /v1/server. It is written nowhere else.
            """
    )

    func run() async throws {
        let key = VAPIDKey()
        print("PARLEY_PUSH_VAPID_KEY=\(key.text)")
        print("# public: \(key.publicText)")
    }
}
