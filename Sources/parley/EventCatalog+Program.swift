import EventSourcing
import Foundation
import Messaging

extension EventCatalog {
    /// The events that this program knows.
    static let ofProgram: EventCatalog = {
        #if DEBUG
        // An older program, for tests that have one run beside this one: it knew none of the later formats' events.
        if let format = ProcessInfo.processInfo.environment["DEBUG_LOG_FORMAT"].flatMap({ Int($0) }) {
            return EventCatalog.messaging.narrowed(to: format)
        }
        #endif
        return .messaging
    }()
}
