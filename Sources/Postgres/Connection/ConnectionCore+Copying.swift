import CLibPQ
import Synchronization

/// Rows that follow a `COPY`, which is sent outside of pipeline mode and alone.
extension ConnectionCore {
    /// What libpq is given at once, in bytes.
    private static let part = 64 << 10

    /// Hands libpq the next parts, each when the socket has taken the one before: libpq never holds back more than one.
    ///
    /// A refusal of a row comes when all are sent; the server passes over what follows that row.
    func sendRows() {
        guard !isClosed.load(ordering: .relaxed) else { return }
        guard let request = inFlight.first, request.isCopying, case .copy(let rows) = request.work else { return }
        while request.isCopying, !isWriting {
            guard sendPart(of: rows, for: request) else { return lose("sending failed") }
            flush()
        }
        guard !request.isCopying, !isClosed.load(ordering: .relaxed) else { return }
        // What refused a row may have been read while libpq was taking the others, when it gives no answers.
        loop.enqueue { [self] in
            if !isClosed.load(ordering: .relaxed) { handle(readable: true, writable: false) }
        }
    }

    private func sendPart(of rows: CopyRows, for request: Request) -> Bool {
        if request.isCancelled {
            request.isCopying = false
            // The server answers as it does to a cancel.
            return PQputCopyEnd(connection, "cancelled") == 1
        }
        if request.bytesCopied < rows.bytes.count {
            let end = min(request.bytesCopied + Self.part, rows.bytes.count)
            defer { request.bytesCopied = end }
            return send(rows.bytes[request.bytesCopied..<end])
        }
        request.isCopying = false
        return send(CopyRows.trailer[...]) && PQputCopyEnd(connection, nil) == 1
    }

    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return PQputCopyData(connection, start, Int32(clamping: bytes.count)) == 1
        }
    }
}
