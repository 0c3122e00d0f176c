import Crypto
import Foundation
import Postgres

/// The buckets in the database, which hold for all processes and beyond restarts.
///
/// A bucket's key is an HMAC under a key derived from the master key: who reads the table, or a backup of it, learns of no
/// address and of no email.
struct SharedRates: Sendable {
    private let pool: PostgresPool
    private let key: SymmetricKey

    init(pool: PostgresPool, masterKey: SymmetricKey) {
        self.pool = pool
        key = masterKey.derived(for: "rate limits")
    }

    /// Takes one token, if there is one: one statement, by the database's clock, whichever processes ask at once.
    func take(_ policy: RatePolicy, _ limit: RateLimit, for subject: RateSubject) async throws -> RateStanding {
        let bucket = bucket(policy, subject)
        let interval = limit.interval / .seconds(1)
        // A token more is let pass only where it fits. The millisecond makes up for rounding.
        let room = (limit.window - limit.interval) / .seconds(1) + 0.001
        let rows = try await pool.query(
            """
            WITH taken AS (
                INSERT INTO parley.rate_buckets AS b (bucket, full_at)
                VALUES (\(bucket), clock_timestamp() + make_interval(secs => \(interval)))
                ON CONFLICT (bucket) DO UPDATE
                    SET full_at = greatest(b.full_at, clock_timestamp()) + make_interval(secs => \(interval))
                    WHERE b.full_at <= clock_timestamp() + make_interval(secs => \(room))
                RETURNING full_at
            )
            SELECT true AS is_taken, extract(epoch FROM full_at - clock_timestamp())::float8 AS debt FROM taken
            UNION ALL
            SELECT false, extract(epoch FROM full_at - clock_timestamp())::float8 FROM parley.rate_buckets
            WHERE bucket = \(bucket) AND NOT EXISTS (SELECT FROM taken)
            """
        )
        // No row at all: others have emptied the bucket since this statement began.
        guard let row = rows.first else {
            return RateStanding(policy, limit, debt: limit.window, isRefused: true)
        }
        let debt = Duration.seconds(try row.decode("debt", as: Double.self))
        return RateStanding(policy, limit, debt: debt, isRefused: !(try row.decode("is_taken", as: Bool.self)))
    }

    /// Deletes buckets that are full, a bounded number at a time.
    func deleteFull() async throws -> Int {
        try await pool.execute(
            """
            DELETE FROM parley.rate_buckets WHERE bucket IN (
                SELECT bucket FROM parley.rate_buckets WHERE full_at < clock_timestamp() LIMIT 1000)
            AND full_at < clock_timestamp()
            """
        )
    }

    private func bucket(_ policy: RatePolicy, _ subject: RateSubject) -> Bytes {
        let message = Data(policy.rawValue.utf8) + [0] + subject.bytes
        return Bytes(Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }
}
