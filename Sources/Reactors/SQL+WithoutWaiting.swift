import Postgres

extension SQL {
    /// Has the transaction that it begins not wait for the disk: what a crash of the database loses is made again.
    static let withoutWaiting: SQL = "SELECT set_config('synchronous_commit', 'off', true)"
}
