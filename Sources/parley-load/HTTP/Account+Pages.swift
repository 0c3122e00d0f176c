import Foundation
import ParleyWire

extension Account {
    /// All items of a list, page by page; nil where the caller may not see it.
    ///
    /// - Throws: `APIFailure.unexpected` for any other refusal, and for pages that never end.
    func allPages<Item: Codable & Hashable & Sendable>(
        _ path: String,
        limit: Int = 200,
        waitFor: String? = nil
    ) async throws -> [Item]? {
        var items: [Item] = []
        var cursor: String?
        for _ in 0..<10_000 {
            let next = cursor.map { "&cursor=\($0.queryEncoded)" } ?? ""
            let answer = try await send(.get("\(path)?limit=\(limit)\(next)", waitFor: waitFor))
            if answer.status == 403 || answer.status == 404 { return nil }
            guard answer.status == 200 else { throw APIFailure.unexpected(request: path, answer: answer.summary) }
            let page = try answer.decode(ListPage<Item>.self)
            items.append(contentsOf: page.items)
            guard let after = page.nextCursor else { return items }
            cursor = after
        }
        throw APIFailure.unexpected(request: path, answer: "pages without end")
    }
}

extension String {
    /// As the value of a query parameter.
    var queryEncoded: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + String(Int(byte) + 256, radix: 16, uppercase: true).suffix(2)
            }
        }
        return encoded
    }
}
