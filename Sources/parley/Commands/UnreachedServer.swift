import Foundation
import NIOCore
import NIOPosix

/// Why a server gave no answer, in words for whoever asked on a terminal.
enum UnreachedServer {
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            // Where a name has several addresses, each failed; the last one tells as much as any.
            error.connectionErrors.last.map { reason($0.error) } ?? "no such host"
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            "nothing listens there, so no server has started yet, or it listens elsewhere"
        case let error as IOError:
            String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout(_):
            "it cannot be reached in time"
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            "no such host"
        case _:
            "\(error)"
        }
    }
}
