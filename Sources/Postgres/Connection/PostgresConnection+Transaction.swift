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

    /// Runs a transaction in as few as two round trips: `first` go along with its BEGIN, and what `body` returns with its
    /// COMMIT.
    ///
    /// It is rolled back if `body` throws. If sending the COMMIT throws, its outcome may be unknown.
    ///
    /// - Parameter body: is given the rows of `first`, one result per statement.
    /// - Returns: the rows of the last statements, and what `body` made.
    package func withTransaction<T>(
        beginningWith first: [SQL],
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (PostgresConnection, [Rows]) async throws -> (last: [SQL], result: T)
    ) async throws -> (rows: [Rows], result: T) {
        let site = CallSite(file: file, line: line)
        try enterTransactionScope()
        defer { leaveTransactionScope() }
        guard !isInTransaction else { throw PostgresRequestError.transactionInProgress }
        do {
            let begun = try await send([IsolationLevel.readCommitted.begin(readOnly: false)] + first, site)
            let (last, result) = try await body(self, Array(begun.rows.dropFirst()))
            let ended = try await send(last + ["COMMIT"], site)
            try checkCommit(ended, site)
            return (Array(ended.rows.dropLast()), result)
        } catch {
            await rollback(site)
            throw error
        }
    }

    private func commit(_ site: CallSite) async throws {
        try checkCommit(try await sendRegardless("COMMIT", isUrgent: false, site), site)
    }

    private func checkCommit(_ reply: Request.Reply, _ site: CallSite) throws {
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
