import Foundation
import Synchronization

/// The `Date` of answers (RFC 9110 §5.6.7), put into words once a second.
enum HTTPDate {
    private static let newest = Mutex((second: -1, text: ""))

    static var now: String {
        let second = time(nil)
        return newest.withLock { newest in
            if newest.second != second { newest = (second, text(of: second)) }
            return newest.text
        }
    }

    /// - Parameter second: since 1970.
    static func text(of second: time_t) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        // Names of days and months are English, since the program never leaves the C locale.
        var text = [UInt8](repeating: 0, count: 64)
        let count = text.withUnsafeMutableBytes { bytes in
            strftime(bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count, format, &parts)
        }
        return String(decoding: text.prefix(count), as: UTF8.self)
    }

    private static let format = "%a, %d %b %Y %H:%M:%S GMT"
}
