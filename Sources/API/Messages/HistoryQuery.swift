import Edge
import ParleyWire
import ReadModels

/// Which piece of a history a query asks for.
struct HistoryQuery {
    let anchor: HistoryAnchor
    /// The parameter that said so.
    let name: String

    init(_ query: Query) throws(HTTPProblem) {
        let before = try query.text("before")
        let after = try query.text("after")
        let around = try query.text("around")
        switch (before, after, around) {
        case (nil, nil, nil):
            (anchor, name) = (.newest, "before")
        case (let cursor?, nil, nil):
            (anchor, name) = (.before(cursor), "before")
        case (nil, let cursor?, nil):
            (anchor, name) = (.after(cursor), "after")
        case (nil, nil, let text?):
            guard let target = HistoryTarget(text: text) else {
                throw .invalid(parameter: "around", .invalid, "A message's id, a seq, or unread is expected.")
            }
            (anchor, name) = (.around(target), "around")
        default:
            let name = around == nil ? "after" : "around"
            throw .invalid(parameter: name, .notAllowed, "Only one of before, after and around is allowed.")
        }
    }
}
