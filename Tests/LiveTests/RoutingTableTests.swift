import Foundation
import Testing

@testable import Live

struct RoutingTableTests {
    private let ada = UUID(), ben = UUID(), room = UUID(), hall = UUID()

    @Test func `members with an open stream are found by conversation`() {
        var table = RoutingTable<Int>()
        table.attach(1, of: ada, in: [room, hall])
        table.attach(2, of: ben, in: [room])
        #expect(table.people(in: .members(of: room)) == [ada, ben])
        #expect(table.people(in: .members(of: hall)) == [ada])
        #expect(table.people(in: .someMembers([ben, UUID()], of: room)) == [ben])
        #expect(table.people(in: .contacts(of: ada, in: [room])) == [ada, ben])
        #expect(table.people(in: .contacts(of: UUID(), in: [hall])) == [ada])
    }

    @Test func `a person stays as long as one of their streams is open`() {
        var table = RoutingTable<Int>()
        table.attach(1, of: ada, in: [room])
        table.attach(2, of: ada, in: [room])
        table.detach(1, of: ada)
        #expect(table.subscribers(of: ada) == [2])
        #expect(table.connectedMembers(of: room) == [ada])
        table.detach(2, of: ada)
        table.detach(2, of: ada)
        #expect(table.connectedMembers(of: room).isEmpty)
        #expect(table.connectedPeople == 0)
    }

    @Test func `who joins is routed to from then on, who leaves no more`() {
        var table = RoutingTable<Int>()
        table.attach(1, of: ada, in: [])
        table.apply(.joined(conversation: room, people: [ada, ben]))
        #expect(table.connectedMembers(of: room) == [ada])
        table.apply(.left(conversation: room, person: ben))
        table.apply(.left(conversation: room, person: ada))
        #expect(table.connectedMembers(of: room).isEmpty)
        #expect(table.conversations(of: ada).isEmpty)
    }
}
