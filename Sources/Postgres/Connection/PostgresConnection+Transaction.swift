extension PostgresConnection {
    /// Runs `body` in a transaction, which is rolled back if `body` throws or the task is cancelled.
    ///
    /// Everything sent on this connection meanwhile belongs to it. Transactions do not nest. If the COMMIT itself throws
    /// `connectionLost`, its outcome is unknown.
    package func withTransaction<T>(
        _ isolation: IsolationLevel = .readCommitted,
        readOnly: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let site = CallSite(file: file, line: line)
        try enterTransactionScope()
        defer { leaveTransactionScope() }
        guard !isInTransaction else { throw PostgresRequestError.transactionInProgress }
        _ = try await send([isolation.begin(readOnly: readOnly)], site)
        do {
            let result = try await body(self)
            try Task.checkCancellation()
            try await commit(site)
            return result
        } catch {
            await rollback(site)
            throw error
        }
    }

    private func commit(_ site: CallSite) async throws {
        let reply = try await sendRegardless("COMMIT", isUrgent: false, site)
        // COMMIT of a transaction in which a statement failed succeeds, as a ROLLBACK.
        guard reply.tag == "COMMIT" else {
            throw PostgresError(
                sqlState: .inFailedTransaction,
                message: "the transaction was rolled back: a statement in it failed",
                detail: nil,
                hint: nil,
                schema: nil,
                table: nil,
                column: nil,
                constraint: nil,
                statement: "COMMIT",
                statementIndex: nil,
                file: site.file,
                line: site.line
            )
        }
    }

    /// Runs even if the task is cancelled; a session whose transaction cannot be ended is closed, which ends it too.
    private func rollback(_ site: CallSite) async {
        guard !isClosed, isInTransaction else { return }
        do {
            _ = try await sendRegardless("ROLLBACK", isUrgent: true, site)
        } catch {
            await close()
        }
    }
}
