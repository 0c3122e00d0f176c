/// A set of names that may grow: an unknown one is kept, never an error, as the contract asks of both sides.
public protocol OpenEnum: RawRepresentable, Codable, Hashable, Sendable where RawValue == String {
    init(rawValue: String)
}
