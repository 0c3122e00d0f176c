import API
import Metrics
import Testing

@Suite
struct `Prometheus metrics` {
    private let metrics = PrometheusMetrics()

    @Test func `counters add up, whoever asks for them`() {
        metrics.makeCounter(label: "sends_total", dimensions: []).increment(by: 2)
        metrics.makeCounter(label: "sends_total", dimensions: []).increment(by: 1)
        #expect(metrics.text() == "# TYPE sends_total counter\nsends_total 3\n")
    }

    @Test func `counters are named as such, and never fall`() {
        let counter = metrics.makeFloatingPointCounter(label: "work", dimensions: [])
        counter.increment(by: 0.5)
        counter.increment(by: -1)
        #expect(metrics.text().contains("work_total 0.5\n"))
    }

    @Test func `gauges show the last value`() {
        let meter = metrics.makeMeter(label: "open", dimensions: [])
        meter.set(Int64(5))
        meter.decrement(by: 2)
        metrics.makeRecorder(label: "lag", dimensions: [], aggregate: false).record(Int64(7))
        #expect(metrics.text() == "# TYPE lag gauge\nlag 7\n# TYPE open gauge\nopen 3\n")
    }

    @Test func `timers are histograms in seconds`() {
        let timer = metrics.makeTimer(label: "http_request", dimensions: [("route", "/v1/me")])
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let text = metrics.text()
        #expect(text.contains("# TYPE http_request_seconds histogram\n"))
        #expect(text.contains(#"http_request_seconds_bucket{route="/v1/me",le="0.001"} 0"#))
        #expect(text.contains(#"http_request_seconds_bucket{route="/v1/me",le="0.0025"} 1"#))
        #expect(text.contains(#"http_request_seconds_bucket{route="/v1/me",le="10.0"} 1"#))
        #expect(text.contains(#"http_request_seconds_bucket{route="/v1/me",le="+Inf"} 2"#))
        #expect(text.contains(#"http_request_seconds_sum{route="/v1/me"} 20.002"#))
        #expect(text.contains(#"http_request_seconds_count{route="/v1/me"} 2"#))
    }

    @Test func `labels are sorted and escaped, and names made valid`() {
        metrics.makeCounter(label: "a.b-c", dimensions: [("z", "1"), ("1 a", "\"\\\n")]).increment(by: 1)
        #expect(metrics.text() == "# TYPE a_b_c_total counter\na_b_c_total{_1_a=\"\\\"\\\\\\n\",z=\"1\"} 1\n")
    }

    @Test func `too many label values are counted together`() {
        for number in 1...1000 {
            metrics.makeCounter(label: "hits", dimensions: [("path", "\(number)")]).increment(by: 1)
        }
        let lines = metrics.text().split(separator: "\n")
        #expect(lines.count == 1 + PrometheusMetrics.seriesPerMetric + 1)
        #expect(lines.contains(#"hits_total{path="other"} 800"#))
    }

    @Test func `one name for two kinds keeps the first`() {
        metrics.makeMeter(label: "size", dimensions: []).set(Int64(1))
        metrics.makeRecorder(label: "size", dimensions: [], aggregate: true).record(Int64(2))
        #expect(metrics.text() == "# TYPE size gauge\nsize 1\n")
    }

    @Test func `the process tells of its memory, files and time, and of the disk that it keeps files on`() throws {
        let text = ProcessMetrics.text()
        let names = [
            "process_resident_memory_bytes", "process_open_fds", "process_max_fds", "process_cpu_seconds_total",
        ]
        for name in names {
            let line = try Regex("(?m)^\(name) [0-9.e-]+$")
            #expect(text.contains(line))
        }
        #expect(!text.contains("parley_data_directory"))
        let kept = ProcessMetrics.text(directory: "/tmp")
        #expect(kept.contains(/(?m)^parley_data_directory_free_bytes [0-9]+$/))
        #expect(kept.contains(/(?m)^parley_data_directory_size_bytes [1-9][0-9]*$/))
        #expect(!ProcessMetrics.text(directory: "/nowhere/at/all").contains("parley_data_directory"))
    }
}
