import CLibPQ

/// A PGconn on its way from the thread that opened it to the event loop, which alone uses it from then on.
struct Session: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer  // A PGconn may go to another thread; one uses it at a time.
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
