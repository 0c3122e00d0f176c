import Edge
import Live
import ServiceLifecycle

/// Begins the end, before anything else ends: readiness turns and new connections are sent elsewhere, then all streams are
/// told to come back later. Only then nobody listens any more.
struct Draining: Service {
    let drain: Drain
    let hub: Hub
    /// How long those who ask for readiness have to notice.
    let notice: Duration

    func run() async throws {
        try await gracefulShutdown()
        drain.begin()
        try? await Task.sleep(for: notice)
        hub.drain()
    }
}
