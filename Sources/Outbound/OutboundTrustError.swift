import NIOSSL

/// A file with certificates to trust cannot be used.
package struct OutboundTrustError: Error, CustomStringConvertible {
    package let path: String
    package var description: String { "\(path) cannot be read, or holds no certificates in PEM" }

    static func certificates(in path: String) throws(OutboundTrustError) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw OutboundTrustError(path: path)
        }
        return certificates
    }
}
