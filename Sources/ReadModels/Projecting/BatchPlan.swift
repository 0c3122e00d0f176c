import EventSourcing
import Postgres

/// What a batch writes: the statements of all projections, and the events that they leave out.
struct BatchPlan {
    /// The next events of one partition.
    struct Part {
        let partition: Int
        let events: ArraySlice<ProjectedEvent>
        /// The streams of the partition that are parked already.
        let parked: ParkedStreams
    }

    private(set) var statements: [SQL] = []
    /// What is left out, part by part.
    private(set) var parking: [[ParkedEvents]]

    /// - Parameter causes: by projection, why it cannot take these events.
    init(_ parts: [Part], refusing causes: [String: String] = [:], in schema: ReadSchema) {
        parking = parts.map { _ in [] }
        for type in Projections.all {
            var projection = type.init()
            let categories = type.categories
            for (index, part) in parts.enumerated() {
                var left: [StreamID: ParkedEvents] = [:]
                for event in part.events where categories.contains(event.record.stream.category) {
                    let stream = event.record.stream
                    let isParked = part.parked.contains(type.name, stream) || left[stream] != nil
                    if let error = causes[type.name] ?? event.fault ?? (isParked ? "parked before" : nil) {
                        let key = ParkedStreams.Key(projection: type.name, stream: stream)
                        let new = ParkedEvents(key, at: event.record.position, error: error)
                        if left[stream]?.add(event.record.position) == nil { left[stream] = new }
                    } else {
                        projection.fold(event)
                    }
                }
                parking[index] += left.values
            }
            statements += projection.statements(in: schema)
        }
        for (part, parked) in zip(parts, parking) {
            if let statement = ParkedEvents.statement(for: parked, partition: part.partition, in: schema) {
                statements.append(statement)
            }
        }
    }
}

extension ProjectedEvent {
    /// Why no projection can take the event.
    fileprivate var fault: String? {
        if case .undecodable(let type) = fact { "undecodable \(type)" } else { nil }
    }
}
