/// One value as it is sent to the server; `bytes` is nil for NULL.
package struct SQLParameter: Sendable, Hashable {
    /// How `bytes` are written; the raw value is the protocol's format code.
    package enum Format: Int32, Sendable {
        case text = 0
        case binary = 1
    }

    package var oid: UInt32
    package var format: Format
    package var bytes: [UInt8]?

    package init(oid: UInt32, format: Format, bytes: [UInt8]?) {
        self.oid = oid
        self.format = format
        self.bytes = bytes
    }
}

extension SQLParameter: CustomStringConvertible, CustomReflectable {
    package var description: String { "SQLParameter(oid: \(oid))" }
    package var customMirror: Mirror { Mirror(self, children: ["oid": oid]) }
}
