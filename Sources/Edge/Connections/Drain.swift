import Synchronization

/// Whether the server is about to stop: who comes now is sent elsewhere, while it still listens.
package final class Drain: Sendable {
    private let isOn = Atomic(false)

    package init() {}

    package func begin() {
        isOn.store(true, ordering: .releasing)
    }

    package var hasBegun: Bool { isOn.load(ordering: .acquiring) }
}

/// Tells the handlers of a connection that its server has begun to stop; the event of NIO's does not come that far.
struct ServerStopping {}
