extension String {
    /// The text that bytes are in UTF-8; nil where they are none.
    ///
    /// Of ASCII alone, as nearly all bytes are that name something, in less than half the time: `String(validating:as:)` looks
    /// up types at run time for every text.
    init?(utf8 bytes: ArraySlice<UInt8>) {
        let text: String? = bytes.withUnsafeBufferPointer { bytes in
            bytes.allSatisfy { $0 < 0x80 }
                ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        }
        guard let text else { return nil }
        self = text
    }
}
