import EventSourcing
import Postgres

/// What a batch of one partition writes: the statements of all projections, and the events that they leave out.
struct BatchPlan {
    private(set) var statements: [SQL] = []
    private(set) var parking: [ParkedEvents] = []

    /// - Parameter causes: by projection, why it cannot take these events.
    init(
        _ events: ArraySlice<ProjectedEvent>,
        partition: Int,
        parked: ParkedStreams,
        refusing causes: [String: String] = [:],
        in schema: ReadSchema
    ) {
        for type in Projections.all {
            var projection = type.init()
            var left: [StreamID: ParkedEvents] = [:]
            let categories = type.categories
            for event in events where categories.contains(event.record.stream.category) {
                let stream = event.record.stream
                let isParked = parked.contains(type.name, stream) || left[stream] != nil
                if let error = causes[type.name] ?? event.fault ?? (isParked ? "parked before" : nil) {
                    let key = ParkedStreams.Key(projection: type.name, stream: stream)
                    let new = ParkedEvents(key, at: event.record.position, error: error)
                    if left[stream]?.add(event.record.position) == nil { left[stream] = new }
                } else {
                    projection.fold(event)
                }
            }
            statements += projection.statements(in: schema)
            parking += left.values
        }
        if let statement = ParkedEvents.statement(for: parking, partition: partition, in: schema) {
            statements.append(statement)
        }
    }
}

extension ProjectedEvent {
    /// Why no projection can take the event.
    fileprivate var fault: String? {
        if case .undecodable(let type) = fact { "undecodable \(type)" } else { nil }
    }
}
