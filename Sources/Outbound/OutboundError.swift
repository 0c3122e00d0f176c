import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL

/// A server was not asked, or gave no answer. Holds nothing of the request.
package struct OutboundError: Error, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// No URL that may be asked: its scheme, its host, a name or password in it.
        case refusedURL
        /// It leads to an address that is nobody's business outside.
        case refusedAddress
        case unresolvable
        case timedOut
        /// The answer is larger than was asked for.
        case tooLarge
        /// Its certificate is not to be trusted, or it speaks no TLS.
        case tls
        case connection
        /// So much is under way that nothing more is begun.
        case busy
        /// The client is closed, or closes.
        case closed
        case cancelled
    }

    package let kind: Kind

    package init(_ kind: Kind) {
        self.kind = kind
    }

    package var description: String {
        switch kind {
        case .refusedURL: "the URL may not be asked"
        case .refusedAddress: "the host has no address that may be asked"
        case .unresolvable: "the host has no address"
        case .timedOut: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .tls: "no secure connection"
        case .connection: "no connection, or it broke"
        case .busy: "too much is under way"
        case .closed: "closed"
        case .cancelled: "cancelled"
        }
    }
}

extension OutboundError {
    init(_ error: any Error) {
        switch error {
        case let error as OutboundError: self = error
        case is CancellationError: self.init(.cancelled)
        case is NIOTooManyBytesError: self.init(.tooLarge)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self.init(.tls)
        case let error as HTTPClientError: self.init(Self.kind(of: error))
        default: self.init(.connection)
        }
    }

    private static func kind(of error: HTTPClientError) -> Kind {
        switch error {
        case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout:
            .timedOut
        // Of a task that is cancelled nobody reads the error; else the client was shut down.
        case .alreadyShutdown, .cancelled: .closed
        default: .connection
        }
    }

    /// Whether nothing was sent, since there was no connection at all: then another address may be tried.
    static func wasNeverConnected(_ error: any Error) -> Bool {
        if let error = error as? HTTPClientError { return error == .connectTimeout }
        guard let error = error as? IOError else { return false }
        return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
    }
}
