/// Why no usable answer came.
enum APIFailure: Error, CustomStringConvertible {
    /// No connection, or none that lasted, for as long as patience allows.
    case unreachable(request: String, reason: String)
    /// The server kept answering that it cannot answer.
    case keepsFailing(request: String, answer: String)
    /// The server answered what the contract does not know.
    case unexpected(request: String, answer: String)

    var description: String {
        switch self {
        case .unreachable(let request, let reason): "\(request): cannot reach the server: \(reason)"
        case .keepsFailing(let request, let answer): "\(request): the server keeps answering \(answer)"
        case .unexpected(let request, let answer): "\(request): answered \(answer)"
        }
    }
}
