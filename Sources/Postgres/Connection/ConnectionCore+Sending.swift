import CLibPQ
import Metrics
import Synchronization

extension ConnectionCore {
    /// Hands a request to libpq; false if libpq refuses, after which the session is of no use.
    func send(_ request: Request) -> Bool {
        request.rewind()
        switch request.work {
        case .script(let text):
            return sendAlone(text)
        case .copy(let rows):
            return sendAlone(rows.statement)
        case .deallocate(let names):
            for (index, name) in names.enumerated() {
                request.steps.append(.execute(index))
                guard sendOnce("DEALLOCATE \(name)") else { return false }
            }
        case .statements(let statements):
            for (index, sql) in statements.enumerated() {
                guard send(sql, index: index, of: request) else { return false }
            }
        }
        request.steps.append(.sync)
        return PQpipelineSync(connection) == 1
    }

    private func sendAlone(_ text: String) -> Bool {
        PQexitPipelineMode(connection) == 1 && PQsendQuery(connection, text) == 1
    }

    private func send(_ sql: SQL, index: Int, of request: Request) -> Bool {
        let key = StatementCache.Key(text: sql.text, types: sql.arguments.types)
        let plan = statements.plan(key, for: ObjectIdentifier(request))
        defer { request.steps.append(.execute(index)) }
        switch plan {
        case .once:
            return sendOnce(sql)
        case .execute(let name):
            request.reusedStatements.append(key)
            return sendPrepared(name, sql.arguments)
        case .prepareAndExecute(let name):
            PostgresMetrics.statementsPrepared.increment()
            request.steps.append(.prepare(key))
            let types = sql.arguments.types
            return PQsendPrepare(connection, name, sql.text, Int32(types.count), types) == 1
                && sendPrepared(name, sql.arguments)
        }
    }

    private func sendPrepared(_ name: String, _ arguments: Arguments) -> Bool {
        withValues(of: arguments) { values in
            PQsendQueryPrepared(
                connection,
                name,
                Int32(arguments.count),
                values,
                arguments.lengths,
                arguments.formats,
                binaryResults
            ) == 1
        }
    }

    private func sendOnce(_ sql: SQL) -> Bool {
        let arguments = sql.arguments
        return withValues(of: arguments) { values in
            PQsendQueryParams(
                connection,
                sql.text,
                Int32(arguments.count),
                arguments.types,
                values,
                arguments.lengths,
                arguments.formats,
                binaryResults
            ) == 1
        }
    }

    private func sendOnce(_ text: String) -> Bool {
        PQsendQueryParams(connection, text, 0, nil, nil, nil, nil, binaryResults) == 1
    }

    private var binaryResults: Int32 { 1 }

    /// Calls `body` with the address of each parameter, in place.
    private func withValues(
        of arguments: Arguments,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Bool
    ) -> Bool {
        guard arguments.count > 0 else { return body(nil) }
        return arguments.withBytes { base in
            values.removeAll(keepingCapacity: true)
            arguments.forEachOffset { offset in
                values.append(offset.map { (base + $0).assumingMemoryBound(to: CChar.self) })
            }
            return values.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }

    /// Pushes out what libpq holds back, and asks to be told when the socket takes more.
    func flush() {
        guard !isClosed.load(ordering: .relaxed) else { return }
        // -1 means a broken socket; reading from it says so too, and first gives what the server still sent.
        let mustWait = PQflush(connection) == 1
        guard mustWait != isWriting else { return }
        isWriting = mustWait
        loop.watchWrites(mustWait, descriptor: descriptor)
    }
}
