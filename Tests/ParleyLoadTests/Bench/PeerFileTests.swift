import Foundation
import Testing

@testable import parley_load

struct PeerFileTests {
    private func read(_ json: String) throws -> PeerFile {
        try PeerFile(json: Data(json.utf8))
    }

    private func problem(_ json: String) -> String? {
        do {
            _ = try read(json)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: PeerExample.allCases)
    func `the examples are good descriptions`(example: PeerExample) throws {
        let file = try read(example.json)
        #expect(file.senders == 16)
        #expect(file.request.body?.contains("{text}") == true)
        #expect(file.request.headers["Content-Type"] == "application/json")
    }

    @Test func `a description may be as small as a request`() throws {
        let file = try read(
            #"{"name":"x","url":"http://h:81","request":{"method":"GET","path":"/a/{uuid}?n={counter}"}}"#
        )
        #expect(file.address.port == 81)
        #expect(file.setup.isEmpty)
        #expect(file.request.success == [200, 201])
        #expect(file.request.body == nil)
        #expect(file.request.headers.isEmpty)
    }

    @Test(arguments: [
        (#"{"#, "the file: not JSON"),
        (#"{"name":"x","url":"http://h"}"#, "the file: 'request' is missing"),
        (#"{"name":"x","url":"http://h","request":{"method":"GET"}}"#, "request: 'path' is missing"),
        (#"{"name":"x","url":"http://h","request":{"method":"GET","path":1}}"#, "request.path: of the wrong type"),
        (#"{"name":"x","url":"https://h","request":{"method":"GET","path":"/"}}"#, "url: not an address"),
        (#"{"name":"x","url":"http://h/api","request":{"method":"GET","path":"/"}}"#, "url: without a path"),
        (#"{"name":"x","url":"http://h","senders":0,"request":{"method":"GET","path":"/"}}"#, "senders: 1 to 1,000"),
        (#"{"name":"x","url":"http://h","request":{"method":"FETCH","path":"/"}}"#, "request.method: GET"),
        (#"{"name":"x","url":"http://h","request":{"method":"GET","path":"a"}}"#, "request.path: begins with /"),
        (#"{"name":"x","url":"http://h","request":{"method":"GET","path":"/a b"}}"#, "request.path: begins with /"),
        (#"{"name":"x","url":"http://h","request":{"method":"GET","path":"/","success":[]}}"#, "request.success"),
        (
            #"{"name":"x","url":"http://h","request":{"method":"GET","path":"/","headers":{"A":"b\r\nC: d"}}}"#,
            "request.headers.A: has a line break"
        ),
        (
            #"{"name":"x","url":"http://h","request":{"method":"GET","path":"/","headers":{"A b":"c"}}}"#,
            "request.headers: 'A b' is no header's name"
        ),
        (
            #"{"name":"x","url":"http://h","request":{"method":"GET","path":"/{room}"}}"#,
            "request.path: there is no {room}"
        ),
        (
            #"{"name":"x","url":"http://h","request":{"method":"PUT","path":"/","body":{"a":"{b}"}}}"#,
            "request.body: there is no {b}"
        ),
        (
            #"{"name":"x","url":"http://h","setup":[{"method":"GET","path":"/","variables":{"run":"a"}}],"#
                + #""request":{"method":"GET","path":"/"}}"#,
            "setup[0].variables: {run} is built in"
        ),
    ])
    func `what is wrong is said with its place`(json: String, complaint: String) throws {
        #expect(try #require(problem(json)).hasPrefix(complaint))
    }

    @Test func `a step may name what an earlier one found, and no later one`() {
        let first = #"{"method":"GET","path":"/","variables":{"a":"x"}}"#
        let second = #"{"method":"GET","path":"/{a}"}"#
        func file(_ steps: String) -> String {
            #"{"name":"x","url":"http://h","setup":[\#(steps)],"request":\#(second)}"#
        }
        #expect(problem(file("\(first),\(second)")) == nil)
        #expect(problem(file("\(second),\(first)"))?.hasPrefix("setup[0].path: there is no {a}") == true)
    }

    @Test func `values are written as their place asks for`() throws {
        let values = ["room": #"!a/b"c:h"#, "line": "a\r\nb"]
        #expect(try PeerText.fill("/r/{room}/{uuid}", values, in: .path) == "/r/%21a%2Fb%22c%3Ah/{uuid}")
        #expect(try PeerText.fill(#"{"r":"{room}"}"#, values, in: .body) == #"{"r":"!a/b\"c:h"}"#)
        #expect(try PeerText.fill("{line}", values, in: .body) == #"a\r\nb"#)
        #expect(throws: PeerFile.Problem.self) { try PeerText.fill("{line}", values, in: .header) }
    }

    @Test func `variables are found by their paths`() {
        let answer = Data(#"{"a":{"b":[{"c":"found"}]},"n":42,"x":null,"t":true}"#.utf8)
        #expect(PeerText.value(at: "a.b.0.c", in: answer) == "found")
        #expect(PeerText.value(at: "n", in: answer) == "42")
        #expect(PeerText.value(at: "t", in: answer) == "true")
        for path in ["x", "a", "a.b.1.c", "a.b.c", "n.m", "nothing"] {
            #expect(PeerText.value(at: path, in: answer) == nil)
        }
        #expect(PeerText.value(at: "a", in: Data("<html>".utf8)) == nil)
    }
}
