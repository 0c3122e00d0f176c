/// What an operator asks for cannot be done, and nothing is broken.
struct NotDone: Error, CustomStringConvertible {
    let description: String
}
