package import Foundation
package import ParleyWire

extension Hub {
    /// Tells the devices of a person that are connected here what is no event of the log, at once. Those at another server
    /// see it when they ask.
    package func tell(_ person: UUID, _ event: StreamEvent) {
        // What cannot be encoded is left to be asked for.
        guard let block = try? EventBlock(event) else { return }
        send(to: person, block, in: epoch)
    }
}
