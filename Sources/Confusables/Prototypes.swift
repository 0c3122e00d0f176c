/// What each character is taken for, by Unicode's data: see `Deploy/confusables`.
enum Prototypes {
    /// What stands for a character in skeletons; nil for one that stands for itself.
    static func prototype(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
        table[scalar]
    }

    static let table: [Unicode.Scalar: [Unicode.Scalar]] = {
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        guard let file = EmbeddedFiles.all["confusables.txt"] else {
            preconditionFailure("it is in the folder Embedded")
        }
        for line in [UInt8](file).split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: UInt8(ascii: "\t")).map(scalars)
            guard fields.count == 2 else { preconditionFailure("the table is generated, a tab in each line") }
            for scalar in fields[1] { table[scalar] = fields[0] }
        }
        return table
    }()

    private static func scalars(_ text: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        text.split(separator: UInt8(ascii: " ")).map { digits in
            guard let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { preconditionFailure("the table is generated, and holds code points in hexadecimal") }
            return scalar
        }
    }
}
