/// What shapes a plan besides the seed and the files.
struct PlanOptions: Sendable, Equatable, Codable {
    /// Silent people fill each group up to so many members.
    var members = 0
    /// People of each file who keep a stream open.
    var listeners = 6
    /// The most messages that are sent at the same time in one group.
    var burst = 4
    /// How many pictures there are to be sent; nil for none.
    var pictures: Int?
}
