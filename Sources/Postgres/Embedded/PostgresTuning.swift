import Foundation

/// The settings that the private PostgreSQL starts with.
struct PostgresTuning: Sendable {
    let profile: EmbeddedPostgres.Profile
    let maxConnections: Int
    let memory: Int
    /// Whether PostgreSQL was built with LZ4.
    let hasLZ4: Bool

    private static let mebibyte = 1 << 20

    /// The text of the included configuration file. An operator's own settings follow the include and win.
    var text: String {
        let lines = settings.map { "\($0.0) = '\($0.1)'" }
        return "# Written by Parley at every start. Put settings of your own into postgresql.conf.\n"
            + lines.joined(separator: "\n") + "\n"
    }

    private var settings: [(String, String)] {
        var settings = common
        switch profile {
        case .durable: settings += durable
        case .throwaway: settings += throwaway
        }
        return settings
    }

    private var common: [(String, String)] {
        [
            ("max_connections", "\(maxConnections)"),
            // A log of 256 partitions locks each partition's table and indexes.
            ("max_locks_per_transaction", "256"),
            // Short statements by index, on disks without a head to move.
            ("jit", "off"),
            ("random_page_cost", "1.1"),
            ("timezone", "UTC"),
            ("log_timezone", "UTC"),
            // From LOG upwards: an ERROR is told to the client, and here its text could carry personal content.
            ("log_min_messages", "log"),
            ("log_min_error_statement", "panic"),
            ("log_error_verbosity", "terse"),
            ("log_checkpoints", "off"),
            ("log_line_prefix", "%m [%p] "),
        ]
    }

    private var durable: [(String, String)] {
        let shared = clamp(memory / 4, from: 64, to: 2048)
        return [
            ("shared_buffers", "\(shared)MB"),
            ("effective_cache_size", "\(max(memory / 2 / Self.mebibyte, 128))MB"),
            ("maintenance_work_mem", "\(clamp(memory / 32, from: 32, to: 512))MB"),
            ("work_mem", "\(clamp(memory / 256, from: 4, to: 32))MB"),
            ("fsync", "on"),
            ("full_page_writes", "on"),
            ("synchronous_commit", "on"),
            // Few checkpoints: each makes the next change of every page write the whole page to the log.
            ("max_wal_size", "4GB"),
            ("min_wal_size", "256MB"),
            ("checkpoint_timeout", "15min"),
            // Whole pages are most of what a rebuild logs, and PostgreSQL's own method takes several times LZ4's time.
            ("wal_compression", hasLZ4 ? "lz4" : "on"),
        ]
    }

    private var throwaway: [(String, String)] {
        [
            ("shared_buffers", "64MB"),
            // What was committed still survives a killed PostgreSQL: commits are written, only not to the disk.
            ("fsync", "off"),
            ("full_page_writes", "off"),
            // In the data directory, so that they go with it even where PostgreSQL was killed.
            ("dynamic_shared_memory_type", "mmap"),
            ("wal_level", "minimal"),
            ("max_wal_senders", "0"),
            ("checkpoint_timeout", "1h"),
            ("max_wal_size", "1GB"),
            ("autovacuum", "off"),
        ]
    }

    private func clamp(_ bytes: Int, from least: Int, to most: Int) -> Int {
        min(max(bytes / Self.mebibyte, least), most)
    }

    /// What this process may use: the machine's memory, or less where its control group says so.
    static func availableMemory() -> Int {
        let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        return limits.reduce(physical) { memory, path in
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let limit = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
            return min(memory, limit ?? memory)
        }
    }
}
