import CLibPQ

/// A PGconn on its way from the thread that opened it to the event loop, which alone uses it from then on.
struct Session: Sendable {
    // Unsafe, because the compiler trusts no pointer of C. libpq lets a PGconn go to another thread as long as one uses it at
    // a time.
    nonisolated(unsafe) let pointer: OpaquePointer  // SAFETY: who opened it lets go of it when it is handed over, once.
    let descriptor: Int32
    let backendPID: Int32
    let isEncrypted: Bool

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        descriptor = PQsocket(pointer)
        backendPID = PQbackendPID(pointer)
        isEncrypted = PQsslInUse(pointer) == 1 || PQgssEncInUse(pointer) == 1
    }
}
