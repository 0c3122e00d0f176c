/// What writes itself as JSON: the same members as its `Encodable` form, and always in the same order, which that has not.
///
/// Equal values are written as equal bytes, so that a hash of the bytes stands for the value. Maps go by their keys.
package protocol JSONWritable {
    func write(to writer: inout JSONWriter)

    /// About how many bytes it will be, where that may be very many; 0 for what is always short.
    var weight: Int { get }
}

extension JSONWritable {
    package var weight: Int { 0 }
}

extension JSONWriter {
    /// The bytes of a value.
    package static func data(of value: some JSONWritable, reserving capacity: Int = 4_096) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity)
        value.write(to: &writer)
        return writer.bytes
    }

    package mutating func value(_ value: some JSONWritable) {
        value.write(to: &self)
    }

    package mutating func array(_ values: [some JSONWritable]) {
        array(values) { $0.value($1) }
    }

    /// The value, or null.
    package mutating func optional(_ value: (some JSONWritable)?) {
        optional(value) { $0.value($1) }
    }
}
