import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import API
@testable import Edge

/// The specification names every route that there is, and no other.
@Suite(.database) struct SpecificationTests {
    @Test func `routes and specification name the same`() async throws {
        try await TestServer.with { server in
            let specified = Self.operations(in: try await server.send(.get, "/openapi.yaml").text)
            #expect(specified.count > 20)
            let router = buildRoutes(server.dependencies)
            let routes = Set(router.routes.map { "\($0.method.rawValue) \($0.path)" })
            #expect(routes.subtracting(specified) == [])
            #expect(specified.subtracting(routes).subtracting(["GET /v1/stream", "GET /v1/sync"]) == [])
        }
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
}
