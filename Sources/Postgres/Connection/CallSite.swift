/// Where in the source a statement was sent from.
struct CallSite: Sendable {
    let file: StaticString
    let line: UInt
}
