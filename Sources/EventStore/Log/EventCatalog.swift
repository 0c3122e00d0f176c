package import EventSourcing

/// Which type of event each category of streams holds: how the log knows to read what it stored.
package struct EventCatalog: Sendable {
    private let types: [StreamCategory: any DomainEvent.Type]

    package init(_ types: [StreamCategory: any DomainEvent.Type]) {
        self.types = types
    }

    func type(of category: StreamCategory) -> (any DomainEvent.Type)? {
        types[category]
    }
}
