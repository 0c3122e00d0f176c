import CLibPQ
import DequeModule
import Synchronization

extension ConnectionCore {
    /// Takes every complete result out of libpq.
    func receive() {
        takeResults()
        // Last: libpq finds notifications behind results only when those are taken.
        if !isClosed.load(ordering: .relaxed) { passNotifications() }
    }

    private func takeResults() {
        var emptyReads = 0
        while let request = inFlight.first, !request.isCopying, PQisBusy(connection) == 0 {
            if let result = PQgetResult(connection) {
                emptyReads = 0
                take(result, for: request)
                if isClosed.load(ordering: .relaxed) { return }
            } else if request.hasResultOfStep {
                endStep(of: request)
            } else {
                // libpq has no more; a second look, since it separates some answers by one NULL.
                emptyReads += 1
                if emptyReads > 2 { return }
            }
        }
    }

    private func take(_ result: OpaquePointer, for request: Request) {
        request.hasResultOfStep = true
        switch PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC:
            PQclear(result)
            complete(request)
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            succeed(result, for: request)
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            if case .prepare(let key)? = request.currentStep { statements.forget(key) }
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
            fail(result, for: request)
        case PGRES_COPY_IN where request.isCopy:
            PQclear(result)
            request.isCopying = true
        default:
            // COPY in a statement, which would wait for data that nobody has.
            PQclear(result)
            _ = inFlight.popFirst()
            lose("a statement tried to COPY")
            finish(request, .failure(PostgresRequestError.copyNotSupported))
        }
    }

    private func succeed(_ result: OpaquePointer, for request: Request) {
        if case .prepare(let key)? = request.currentStep {
            PQclear(result)
            statements.confirm(key)
            return
        }
        if PQresultStatus(result) == PGRES_COMMAND_OK { noteTag(of: result, for: request) }
        request.reply.rows.append(Rows(QueryResult(result)))
    }

    private func noteTag(of result: OpaquePointer, for request: Request) {
        guard let tag = PQcmdStatus(result).map({ String(cString: $0) }) else { return }
        request.reply.tag = tag
        switch tag {
        case "BEGIN", "START TRANSACTION":
            isInTransaction.store(true, ordering: .relaxed)
        case "COMMIT", "ROLLBACK", "PREPARE TRANSACTION":
            isInTransaction.store(false, ordering: .relaxed)
        default:
            return
        }
        request.reply.controlledTransaction = true
    }

    private func fail(_ result: OpaquePointer, for request: Request) {
        defer { PQclear(result) }
        let severity = ServerMessage(result)[.severity]
        // FATAL and PANIC end the session; libpq's own errors, which have no severity, say that it is gone.
        guard severity == "ERROR" else { return lose("the server ended the session") }
        if case .prepare(let key)? = request.currentStep { statements.forget(key) }
        let (text, index) = request.currentStatement
        request.failure = request.failure ?? PostgresError(result, statement: text, index: index, site: request.site)
    }

    private func endStep(of request: Request) {
        request.hasResultOfStep = false
        if request.isAlone {
            guard PQenterPipelineMode(connection) == 1 else { return lose("pipeline mode refused") }
            complete(request)
        } else if case .sync? = request.currentStep {
            // An error at the commit that Sync makes; the answer to Sync itself still follows.
        } else {
            request.nextStep += 1
        }
    }

    private func complete(_ request: Request) {
        _ = inFlight.popFirst()
        noteTransactionStatus()
        if let failure = request.failure {
            forgetStaleStatements(of: request, after: failure)
            if shouldRetry(request, after: failure) {
                request.wasRetried = true
                request.phase = .waiting
                waiting.prepend(request)
            } else {
                finish(request, .failure(request.isCancelled ? cancellation(for: failure) : failure))
            }
        } else if request.isAnswered {
            finish(request, .success(request.reply))
        } else {
            finish(request, .failure(PostgresConnectionError.connectionLost))
            return lose("an answer is missing")
        }
        cancelHeadIfAsked()
    }

    /// libpq knows it only when nothing is in flight; the tags of BEGIN, COMMIT and ROLLBACK bridge the time between.
    private func noteTransactionStatus() {
        switch PQtransactionStatus(connection) {
        case PQTRANS_IDLE: isInTransaction.store(false, ordering: .relaxed)
        case PQTRANS_INTRANS, PQTRANS_INERROR: isInTransaction.store(true, ordering: .relaxed)
        default: break
        }
    }

    /// After a change of its tables a prepared statement fails with 0A000 ("cached plan must not change result type"),
    /// after DEALLOCATE or DISCARD with 26000.
    private func forgetStaleStatements(of request: Request, after failure: any Error) {
        switch (failure as? PostgresError)?.sqlState {
        case SQLState.featureNotSupported: request.reusedStatements.forEach { statements.evict($0) }
        case SQLState.invalidStatementName: request.reusedStatements.forEach { statements.forget($0) }
        default: break
        }
    }

    /// Only what certainly had no effect is sent again, once: outside a transaction a failed request is rolled back whole.
    private func shouldRetry(_ request: Request, after failure: any Error) -> Bool {
        guard case .statements = request.work, !request.wasRetried, !request.isCancelled,
            !request.reply.controlledTransaction, !isInTransaction.load(ordering: .relaxed)
        else { return false }
        switch (failure as? PostgresError)?.sqlState {
        case SQLState.featureNotSupported, SQLState.invalidStatementName: return !request.reusedStatements.isEmpty
        case SQLState.queryCanceled: return request.isExposedToCancel
        default: return false
        }
    }

    private func passNotifications() {
        while let notification = PQnotifies(connection) {
            if let payload = notification.pointee.extra { notifications?.yield(String(cString: payload)) }
            PQfreemem(notification)
        }
    }
}
