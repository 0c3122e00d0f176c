import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

/// The specification names all that there is, and nothing else.
@Suite(.database) struct SpecificationTests {
    @Test func `routes and specification name the same`() async throws {
        try await LiveServer.with { server in
            let specified = Self.operations(in: try await Self.specification(of: server))
            #expect(specified.count > 20)
            let routes = Set(buildRoutes(server.dependencies).routes.map { "\($0.method.rawValue) \($0.path)" })
            #expect(routes.subtracting(specified) == [])
            #expect(specified.subtracting(routes) == [])
        }
    }

    @Test func `the stream's events and the specification's are the same, with and without an id`() async throws {
        try await LiveServer.with { server in
            let specification = try await Self.specification(of: server)
            let events = Self.events(in: specification)
            let sent = Set(StreamEventName.allCases.map { "\($0.rawValue) \($0.hasID)" })
            #expect(Set(events.map { "\($0.name) \($0.hasID)" }) == sent)
            #expect(events.count == sent.count)
            let lines = Set(specification.split(separator: "\n"))
            for event in events { #expect(lines.contains("    \(event.schema):"), "\(event.name): \(event.schema)") }
        }
    }

    private static func specification(of server: LiveServer) async throws -> String {
        String(buffer: try await server.client.execute(uri: "/openapi.yaml", method: .get).body)
    }

    /// The methods and paths of a specification, by the indentation of its lines.
    private static func operations(in specification: String) -> Set<String> {
        let methods: Set<Substring> = ["get", "put", "post", "patch", "delete"]
        var operations: Set<String> = []
        var path = ""
        for line in specification.split(separator: "\n") {
            let key = line.drop { $0 == " " }.prefix { $0 != ":" }
            switch line.prefix(while: { $0 == " " }).count {
            case 2 where key.hasPrefix("/"): path = String(key)
            case 4 where methods.contains(key) && !path.isEmpty: operations.insert("\(key.uppercased()) \(path)")
            case 0: path = ""
            default: break
            }
        }
        return operations
    }

    private struct Event {
        let name: Substring
        let hasID: Bool
        let schema: Substring
    }

    /// The lines below `x-events`, each such as `ready: { id: false, data: { $ref: '#/components/schemas/EmptyEvent' } }`.
    private static func events(in specification: String) -> [Event] {
        let lines = specification.split(separator: "\n").drop { $0 != "      x-events:" }.dropFirst()
        let pattern = /\s+([a-z.]+): \{ id: (true|false), data: \{ \$ref: '[^']+\/(\w+)' \} \}/
        return lines.prefix { $0.hasPrefix("        ") }.compactMap { line in
            guard let match = line.wholeMatch(of: pattern) else { return nil }
            return Event(name: match.1, hasID: match.2 == "true", schema: match.3)
        }
    }
}
