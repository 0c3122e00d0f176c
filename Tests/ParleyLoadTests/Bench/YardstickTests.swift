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

    @Test func `the time of the switch is read out of what a rebuild prints`() {
        let output = """
            [##############################] 100%  20016 of 20016 events  26688/s  0 s left
            20016 events projected in 0.75 seconds, switched in 0.25 seconds
            """
        #expect(RebuildRow.switchTime(in: output) == 250)
        #expect(RebuildRow.switchTime(in: "another rebuild is at work on this database") == nil)
    }

    @Test func `pgbench finds no variable in a literal`() {
        #expect(SingleInserts.literal(#"{"a":"it's"}"#) == #"E'{"a"\x3A"it''s"}'"#)
        #expect(SingleInserts.literal(#"\x01"#) == #"E'\\x01'"#)
    }
}
