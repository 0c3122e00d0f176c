import CoreMetrics
import HTTPTypes
import Synchronization

/// Counts and times requests by route. All metrics of the edge are here.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private struct Series {
        let requests: Counter
        let duration: Timer
    }

    /// Bounded by the routes, since what matches none is counted as one.
    private let series = Mutex<[Key: Series]>([:])

    /// - Parameter route: the pattern of the route, never the path; nil where none matched.
    func record(_ method: HTTPRequest.Method, route: String?, status: Int, duration: Duration) {
        let key = Key(method: route == nil ? "any" : method.rawValue, route: route ?? "none", status: status)
        let series = series.withLock { all in
            if let known = all[key] { return known }
            let new = Self.make(key)
            all[key] = new
            return new
        }
        series.requests.increment(by: 1)
        let (seconds, attoseconds) = duration.components
        series.duration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private static func make(_ key: Key) -> Series {
        let dimensions = [("method", key.method), ("route", key.route)]
        return Series(
            requests: Counter(
                label: "parley_http_requests_total",
                dimensions: dimensions + [("status", String(key.status))]
            ),
            duration: Timer(label: "parley_http_request_duration_seconds", dimensions: dimensions)
        )
    }
}
