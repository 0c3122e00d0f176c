package import Metrics
import Synchronization

/// Collects the metrics of this process and shows them in Prometheus' text format.
///
/// Bounded whatever the labels say: past ``seriesPerMetric`` combinations of label values, all further ones of a metric
/// are counted together under the value `other`.
package final class PrometheusMetrics: MetricsFactory {
    package static let seriesPerMetric = 200
    package static let metricLimit = 1000

    private let families = Mutex<[String: PrometheusFamily]>([:])

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, Self.name(label, suffix: "_total"), dimensions) { PrometheusCounter() }
    }

    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, Self.name(label, suffix: "_total"), dimensions) { PrometheusCounter() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, Self.name(label), dimensions) { PrometheusGauge() }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(.gauge, Self.name(label), dimensions) { PrometheusGauge() } }
        return series(.histogram, Self.name(label), dimensions) {
            PrometheusHistogram(bounds: PrometheusHistogram.sizes)
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, Self.name(label, suffix: "_seconds"), dimensions) {
            PrometheusHistogram(bounds: PrometheusHistogram.seconds)
        }
    }

    // A series stays when its last user is gone: a counter that vanished and came back at zero would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The metrics as text, version 0.0.4 of the format, sorted by name and labels.
    package func text() -> String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name: name, labels: labels, to: &text)
            }
        }
        return text
    }

    /// Finds a series or makes it; one that may not be shown works all the same, alone.
    private func series<S: PrometheusSeries>(
        _ kind: PrometheusFamily.Kind,
        _ name: String,
        _ dimensions: [(String, String)],
        _ make: () -> S
    ) -> S {
        families.withLock { families in
            guard families[name] != nil || families.count < Self.metricLimit else { return make() }
            var family = families[name] ?? PrometheusFamily(kind: kind)
            let series = family.series(dimensions, limit: Self.seriesPerMetric, make)
            families[name] = family
            return series
        }
    }

    /// The label with every character replaced that a name may not have.
    private static func name(_ label: String, suffix: String = "") -> String {
        let name = PrometheusFamily.name(label, allowing: ":")
        return name.hasSuffix(suffix) ? name : name + suffix
    }
}
