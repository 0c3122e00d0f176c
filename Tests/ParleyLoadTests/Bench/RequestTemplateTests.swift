import Foundation
import NIOCore
import ParleyWire
import Testing

@testable import parley_load

struct RequestTemplateTests {
    private let address: ServerAddress

    init() throws {
        address = try #require(ServerAddress("http://127.0.0.1:8080"))
    }

    @Test func `a template is filled anew for each request`() throws {
        let template = RequestTemplate(
            "PUT",
            "/m/{uuid}",
            to: address,
            headers: [("X-Id", "{uuid}")],
            body: #"{"n":{counter},"s":"{other} {"}"#
        )
        var ids = FreshIDs()
        var buffer = template.makeBuffer()
        var seen: Set<WireID> = []
        for number in [0, 1, 2_345_678_901] {
            template.fill(&buffer, number: number, ids: &ids)
            let text = String(buffer: buffer)
            let id = try #require(WireID(text.dropFirst("PUT /m/".count).prefix(36)))
            #expect(seen.insert(id).inserted)
            let body = #"{"n":\#(1_000_000_000 + number),"s":"{other} {"}"#
            #expect(
                text == "PUT /m/\(id) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-Id: \(id)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
    }

    @Test func `a request without a body says no length`() {
        let template = RequestTemplate("GET", "/", to: address)
        #expect(String(buffer: template.makeBuffer()) == "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")
    }

    @Test func `ids are of version 7, of now, and never the same`() throws {
        var seen: Set<WireID> = []
        for _ in 0..<1000 {
            let id = FreshIDs.make()
            #expect(seen.insert(id).inserted)
            let bytes = id.uuid.uuid
            #expect(bytes.6 >> 4 == 7)
            #expect(bytes.8 >> 6 == 2)
            let time = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(0) { $0 << 8 | Int64($1) }
            #expect(abs(time - Timestamp.milliseconds(of: .now)) < 60_000)
        }
    }

    @Test(arguments: [("http://127.0.0.1:8080", "127.0.0.1", 8080), ("http://chat.example", "chat.example", 80)])
    func `addresses are taken from URLs`(url: String, host: String, port: Int) throws {
        let address = try #require(ServerAddress(url))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(ServerAddress(url.replacing("http:", with: "https:")) == nil)
    }

    @Test func `each connection sends its requests in turn`() {
        let templates = ["/a", "/b", "/c", "/d"].map { RequestTemplate("GET", $0, to: address) }
        let plan = RequestPlan(templates: templates, turns: 2)
        func target(_ connection: Int, _ turn: Int) -> String {
            let text = String(buffer: plan.template(connection: connection, number: 7, turn: turn).makeBuffer())
            return text.split(separator: " ")[1].description
        }
        #expect((0..<3).map { target(0, $0) } == ["/a", "/c", "/a"])
        #expect((0..<3).map { target(1, $0) } == ["/b", "/d", "/b"])
    }
}
