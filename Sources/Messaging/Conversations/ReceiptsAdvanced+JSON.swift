import Foundation

extension ReceiptsAdvanced {
    /// The bytes of ``EventJSON``, written by hand: there are more receipts than messages.
    func encoded() -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(12 + 128 * marks.count)
        json.write(#"{"marks":["#)
        for (index, mark) in marks.enumerated() {
            if index > 0 { json.write(",") }
            json.write(#"{"deliveredSeq":"#, mark.deliveredSeq)
            json.write(#","person":"#, mark.person)
            if let publicReadSeq = mark.publicReadSeq { json.write(#","publicReadSeq":"#, publicReadSeq) }
            json.write(#","readSeq":"#, mark.readSeq)
            json.write("}")
        }
        json.write("]}")
        return json
    }

    /// Reads what ``encoded()`` writes; nil for all else.
    init?(plain json: [UInt8]) {
        var scanner = PlainScanner(json)
        guard scanner.skip(#"{"marks":["#) else { return nil }
        var marks: [Mark] = []
        while marks.isEmpty || scanner.skip(",") {
            guard let mark = Mark(plain: &scanner) else { return nil }
            marks.append(mark)
        }
        guard scanner.skip("]}"), scanner.isAtEnd else { return nil }
        self.init(marks: marks)
    }
}

extension ReceiptsAdvanced.Mark {
    fileprivate init?(plain scanner: inout PlainScanner) {
        guard scanner.skip(#"{"deliveredSeq":"#), let deliveredSeq = scanner.number(),
            scanner.skip(#","person":"#), let person = scanner.id()
        else { return nil }
        var publicReadSeq: Int64?
        if scanner.skip(#","publicReadSeq":"#) {
            guard let number = scanner.number() else { return nil }
            publicReadSeq = number
        }
        guard scanner.skip(#","readSeq":"#), let readSeq = scanner.number(), scanner.skip("}") else { return nil }
        self.init(person: person, deliveredSeq: deliveredSeq, readSeq: readSeq, publicReadSeq: publicReadSeq)
    }
}
