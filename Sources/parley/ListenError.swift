import Foundation
import NIOCore

/// The address to listen on is not to be had.
struct ListenError: Error, CustomStringConvertible {
    let description: String

    /// Reads an error of the HTTP server's; nil where it is about something else.
    init?(_ error: any Error, address: String) {
        switch error {
        case let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode):
            description = "cannot listen on \(address): \(String(cString: strerror(error.errnoCode)))"
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            description = "cannot listen on \(address): no such address"
        default:
            return nil
        }
    }
}
