import CoreMetrics
import HTTPTypes
import Synchronization

/// Counts and times requests by route. All metrics of the edge are here.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        /// The route's place among all; nil where none matched.
        let route: Int?
        let isHead: Bool
        let status: Int
    }

    private struct Series {
        let requests: Counter
        let duration: Timer
    }

    /// Bounded by the routes, since what matches none is counted as one.
    private let series = Mutex<[Key: Series]>([:])

    /// By the pattern of the route, never the path; nil where none matched.
    func record(_ method: HTTPRequest.Method?, _ route: Route?, status: Int, duration: Duration) {
        let key = Key(route: route?.place, isHead: route != nil && method == .head, status: status)
        let series = series.withLock { all in
            if let known = all[key] { return known }
            let new = Self.make((route == nil ? nil : method)?.rawValue ?? "any", route?.path ?? "none", status)
            all[key] = new
            return new
        }
        series.requests.increment(by: 1)
        let (seconds, attoseconds) = duration.components
        series.duration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private static func make(_ method: String, _ route: String, _ status: Int) -> Series {
        let dimensions = [("method", method), ("route", route)]
        return Series(
            requests: Counter(
                label: "parley_http_requests_total",
                dimensions: dimensions + [("status", String(status))]
            ),
            duration: Timer(label: "parley_http_request_duration_seconds", dimensions: dimensions)
        )
    }
}
