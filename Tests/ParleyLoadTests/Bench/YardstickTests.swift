import Testing

@testable import parley_load

struct YardstickTests {
    private func durability(_ changes: [String: String] = [:], _ overrides: [String] = []) -> Durability {
        let production = ["fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "wal_level": "replica"]
        return Durability(settings: production.merging(changes) { $1 }, overrides: overrides)
    }

    @Test func `production settings are durable`() {
        #expect(durability().weaknesses.isEmpty)
        #expect(durability(["wal_level": "minimal"]).weaknesses.isEmpty)
        let harmless = ["function append: search_path=pg_catalog", "role parley_server: statement_timeout=10s"]
        #expect(durability([:], harmless).weaknesses.isEmpty)
    }

    @Test(arguments: [
        ("fsync", "off"), ("full_page_writes", "off"), ("synchronous_commit", "off"), ("synchronous_commit", "local"),
    ])
    func `what loses confirmed messages is a weakness`(name: String, value: String) {
        #expect(durability([name: value]).weaknesses == ["\(name)=\(value)"])
        let override = "role parley_server: \(name)=\(value)"
        #expect(durability([:], [override]).weaknesses == [override])
    }

    @Test func `what cannot be asked counts as weak`() {
        #expect(Durability(settings: [:], overrides: []).weaknesses.count == 3)
    }

    @Test func `the rate is read out of what pgbench prints`() {
        let output = """
            transaction type: /tmp/insert.sql
            number of transactions actually processed: 25995
            latency average = 3.692 ms
            initial connection time = 47.391 ms
            tps = 8664.822325 (without initial connection time)
            """
        #expect(SingleInserts.rate(in: output) == 8664.822325)
        #expect(SingleInserts.rate(in: "pgbench: error: connection failed") == nil)
    }

    @Test func `pgbench finds no variable in a literal`() {
        #expect(SingleInserts.literal(#"{"a":"it's"}"#) == #"E'{"a"\x3A"it''s"}'"#)
        #expect(SingleInserts.literal(#"\x01"#) == #"E'\\x01'"#)
    }
}
