import EventSourcing
import Postgres

/// What a batch writes: the statements of projections, and the events that they leave out.
struct BatchPlan {
    /// The next events of one partition.
    struct Part {
        let partition: Int
        let events: ArraySlice<ProjectedEvent>
        /// The streams of the partition that are parked already.
        let parked: ParkedStreams
    }

    /// What is copied before the statements run.
    private(set) var copies: [CopyRows] = []
    private(set) var statements: [SQL] = []
    /// What is left out, part by part.
    private(set) var parking: [[ParkedEvents]]

    /// - Parameters:
    ///   - projections: those that take the events.
    ///   - causes: by projection, why it cannot take these events.
    ///   - isCopying: whether rows may be copied.
    init(
        _ parts: [Part],
        of projections: [any Projection.Type] = Projections.all,
        refusing causes: [String: String] = [:],
        in schema: ReadSchema,
        copying isCopying: Bool = false
    ) {
        parking = parts.map { _ in [] }
        for type in projections {
            var projection = type.init()
            for (index, part) in parts.enumerated() {
                parking[index] += Self.fold(part, into: &projection, refusing: causes[type.name])
            }
            if isCopying, let rows = projection.takeRows(for: schema) { copies.append(rows) }
            statements += projection.statements(in: schema)
        }
        for (part, parked) in zip(parts, parking) {
            if let statement = ParkedEvents.statement(for: parked, partition: part.partition, in: schema) {
                statements.append(statement)
            }
        }
    }

    private static func fold<P: Projection>(
        _ part: Part,
        into projection: inout P,
        refusing cause: String?
    ) -> [ParkedEvents] {
        let categories = P.categories
        var left: [StreamID: ParkedEvents] = [:]
        for event in part.events where categories.contains(event.record.stream.category) {
            let stream = event.record.stream
            let position = event.record.position
            if part.parked.skips(P.name, position) { continue }
            let wasParked = part.parked.contains(P.name, stream)
            let isParked = wasParked || left[stream] != nil
            guard let error = cause ?? event.fault ?? (isParked ? "parked before" : nil) else {
                projection.fold(event)
                continue
            }
            let key = ParkedStreams.Key(projection: P.name, stream: stream)
            let new = ParkedEvents(key, at: position, isContinued: wasParked, error: error)
            if left[stream]?.add(position) == nil { left[stream] = new }
            // A parked stream keeps nobody's text. It is left out all the same: a retry reads it again.
            if event.isErasure, cause == nil { projection.fold(event) }
        }
        return Array(left.values)
    }
}

extension ProjectedEvent {
    /// Why no projection can take the event.
    fileprivate var fault: String? {
        if case .undecodable(let type) = fact { "undecodable \(type)" } else { nil }
    }
}
