import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// Requests that clients get wrong, by mistake or on purpose: each is told so in the contract's words, and stores nothing.
@Suite(.database) struct BadInputTests {
    @Test func `each is refused in the contract's words and stores nothing`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let stranger = try await server.register("Stranger")
            let group = try await ada.startGroup(with: [try await server.register(), try await server.register()])
            let before = try await server.eventStore.log.heads()
            for bad in BadRequest.texts + BadRequest.ids + BadRequest.groups + BadRequest.others {
                func fill(_ text: String) -> String {
                    text.replacingOccurrences(of: "{group}", with: "\(group.id)")
                        .replacingOccurrences(of: "{stranger}", with: "\(stranger.id)")
                        .replacingOccurrences(of: "{me}", with: "\(ada.id)")
                        .replacingOccurrences(of: "{new}", with: "\(WireID())")
                }
                let headers: HTTPFields = [.contentType: bad.contentType]
                let answer = try await ada.send(bad.method, fill(bad.path), headers: headers, text: bad.body.map(fill))
                let problem = try answer.problem()
                #expect(problem.knownCode == bad.code, "\(bad.name): \(answer.text)")
                guard let place = bad.place else { continue }
                let places = (problem.errors ?? []).map { $0.pointer ?? $0.parameter }
                #expect(places.contains(place), "\(bad.name): \(places)")
            }
            #expect(try await server.eventStore.log.heads() == before)
        }
    }
}
