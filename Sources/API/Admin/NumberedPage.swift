import Edge
import Hummingbird
import ParleyWire

/// A page of a list whose entries have numbers, the newest first: its cursor is the number of its last entry.
struct NumberedPage {
    /// The number below which it begins; nil for the newest.
    let before: Int64?
    /// How many entries are to be read: one more than the page shows tells whether there is a next one.
    var reads: Int { limit + 1 }
    private let limit: Int

    init(_ request: Request, _ limits: ServerLimits) throws(HTTPProblem) {
        let query = Query(request.uri.query)
        limit = try query.limit(limits)
        before = try query.text("cursor").map { text throws(HTTPProblem) in
            guard let number = Int64(text) else {
                throw .invalid(parameter: "cursor", .invalid, "No cursor of this list.")
            }
            return number
        }
    }

    func response<Item: Codable & Hashable & Sendable>(_ read: [Item], number: (Item) -> Int64) -> Response {
        let items = Array(read.prefix(limit))
        let next = read.count > limit ? items.last.map { String(number($0)) } : nil
        return JSONBody.response(ListPage(items: items, nextCursor: next))
    }
}
