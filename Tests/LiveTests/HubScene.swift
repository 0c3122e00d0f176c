import EventStore
import Foundation
import NIOCore
import ParleyWire
import TestSupport

@testable import Live

private enum Known {
    static let ada = UUID(), ben = UUID(), room = UUID()
    static let zero = PositionVector([0, 0])
}

/// What tests of the hub's state begin with: a hub of two partitions, people, and what their streams have received.
protocol HubScene {}

extension HubScene {
    var ada: UUID { Known.ada }
    var ben: UUID { Known.ben }
    var room: UUID { Known.room }
    var zero: PositionVector { Known.zero }

    func makeHub(_ change: (inout StreamLimits) -> Void = { _ in }) -> HubState {
        var limits = StreamLimits()
        change(&limits)
        return HubState(epoch: Epoch(generation: 0, id: 1, heads: [0, 0]), startingAt: zero, limits: limits)
    }

    func open(
        _ hub: inout HubState,
        _ person: UUID,
        session: UUID = UUID(),
        expiresAt: Date = .distantFuture,
        heartbeatsAreEvents: Bool = false
    ) -> Subscription {
        hub.open(
            StreamOwner(person: person, session: session, expiresAt: expiresAt),
            heartbeatsAreEvents: heartbeatsAreEvents
        )
    }

    func attach(_ hub: inout HubState, _ subscription: Subscription, in conversations: Set<UUID>) {
        hub.attach(
            HubState.Attachment(
                subscription: subscription,
                epoch: hub.epoch,
                snapshot: hub.vector,
                conversations: conversations,
                target: hub.vector
            )
        )
    }

    func message(_ hub: HubState, _ text: String, in partition: Int = 0) -> HubItem {
        var item = HubItem(partition: partition, position: hub.vector[partition] + 1)
        item.audience = .members(of: room)
        item.blocks.others = EventBlock(.messageCreated, data: text.utf8)
        return item
    }

    func texts(_ subscription: Subscription) -> [String] {
        var client = SentEvents()
        while case .write(let chunks) = subscription.takeNow() {
            for chunk in chunks { client.feed(chunk) }
        }
        return client.events.map { $0.name == "message.created" ? $0.data : $0.name }
    }
}
