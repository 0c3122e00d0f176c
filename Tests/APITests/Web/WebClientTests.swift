import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge
@testable import Web

@Suite(.database) struct WebClientTests {
    private static func with(
        _ client: WebClient,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let routes = client.routes()
        try await TestServer.with {
            $0.website = routes
            $0.edge.missingPage = client.missing
        } _: { server in
            try await body(server)
        }
    }

    @Test func `the page stands at every address of its router, and names files that are there`() async throws {
        let client = try await WebClient.embedded()
        #expect(client.addresses.contains("/"))
        #expect(client.addresses.contains("/conversations/{id}"))
        try await Self.with(client) { server in
            let page = try await server.send(.get, "/")
            #expect(page.status == .ok)
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page["Cache-Control"] == "no-cache")
            #expect(page.text.contains("name=\"parley-version\" content=\"\(client.version)\""))
            for address in client.addresses {
                let path = address.replacing(/\{[a-z]+\}/, with: "x")
                #expect(try await server.send(.get, path).text == page.text, "\(path)")
            }
            let named = page.text.matches(of: /(?:src|href)="(\/[^"]+)"/).map { String($0.1) }
            #expect(named.count == 4)
            for path in named { #expect(try await server.send(.get, path).status == .ok, "\(path)") }
            #expect(try await server.send(.get, "/app/version").text == "{\"version\":\"\(client.version)\"}")
            let manifest = try await server.send(.get, "/manifest.webmanifest")
            #expect(manifest["Content-Type"] == "application/manifest+json")
            for icon in manifest.text.matches(of: /"src": "([^"]+)"/).map({ String($0.1) }) {
                #expect(try await server.send(.get, icon).status == .ok, "\(icon)")
            }
        }
    }

    @Test func `who browses to an address of nothing is shown a page that says so and leads to the first one`()
        async throws
    {
        let client = try await WebClient.embedded()
        let browsing: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]
        try await Self.with(client) { server in
            let first = try await server.send(.get, "/")
            for path in ["/nothing", "/conversations/x/y/z", "/app/nothing", "/v2", "/v1x"] {
                let page = try await server.send(.get, path, headers: browsing)
                #expect(page.status == .notFound && page["Content-Type"] == "text/html; charset=utf-8", "\(path)")
                #expect(page["Content-Security-Policy"] == first["Content-Security-Policy"])
                #expect(page["Cache-Control"] == "no-store" && page["ETag"] == nil)
                #expect(page.text.contains("href=\"/\"") && !page.text.contains("<script"))
                #expect(!page.text.contains(path))
                for named in page.text.matches(of: /(?:src|href)="(\/[^"]+)"/).map({ String($0.1) }) {
                    #expect(try await server.send(.get, named).status == .ok, "\(named)")
                }
            }
            // Whoever knows its tag is told the same: no page is kept of what may be there tomorrow.
            var known = browsing
            known[.ifNoneMatch] = "*"
            #expect(try await server.send(.get, "/nothing", headers: known).status == .notFound)
            let head = try await server.send(.head, "/nothing", headers: browsing)
            #expect(head.status == .notFound && head.text.isEmpty)
            // Programs are told as ever, and so is everybody of the API.
            for path in ["/v1/nothing", "/v1", "/admin/v1/nothing", "/v1/conversations/x/y/z"] {
                try await server.send(.get, path, headers: browsing).expect(.notFound)
            }
            try await server.send(.get, "/nothing").expect(.notFound)
            try await server.send(.get, "/nothing", headers: [.accept: "*/*"]).expect(.notFound)
            try await server.send(.post, "/nothing", headers: browsing).expect(.notFound)
        }
    }

    @Test func `every module that a module imports is served as a script, for ever`() async throws {
        let client = try await WebClient(ClientFile.embedded, isJoined: false)
        let sources = ClientFile.embedded.filter { $0.path.hasSuffix(".js") && $0.path != "sw.js" }
        try await Self.with(client) { server in
            for source in sources {
                let url = try #require(URL(string: "http://client/app/\(client.version)/\(source.path)"))
                let text = String(decoding: source.bytes, as: UTF8.self)
                for found in text.matches(of: /(?:from|import) '(\.[^']+)'|import\('(\.[^']+)'\)/) {
                    let module = try #require(found.1 ?? found.2)
                    let path = try #require(URL(string: String(module), relativeTo: url)?.absoluteURL.path)
                    let answer = try await server.send(.get, path)
                    #expect(answer.status == .ok, "\(source.path) imports \(module)")
                    #expect(answer["Content-Type"]?.hasPrefix("text/javascript") == true)
                    #expect(answer["Cache-Control"] == "public, max-age=31536000, immutable")
                    #expect(answer["X-Content-Type-Options"] == "nosniff")
                }
            }
        }
    }

    @Test func `the modules of the first screens are one file, and each other screen is one that imports it`()
        async throws
    {
        let client = try await WebClient.embedded()
        #expect(client.files.keys.filter { $0.hasSuffix(".css") } == ["styles.css"])
        try await Self.with(client) { server in
            let shell = try await server.send(.get, "/app/\(client.version)/app.js").text
            let left = shell.matches(of: #/(?m)^(?:import|export default|export const|export class)\b/#)
            #expect(left.isEmpty)
            // It counts in the first line alone.
            #expect(shell.hasPrefix("//# allFunctionsCalledOnLoad\n"))
            // A worker is none of them.
            let apart: Set = ["app.js", "text/format-worker.js"]
            #expect(apart.isSubset(of: client.files.keys))
            let screens = client.files.keys.filter { $0.hasSuffix(".js") && !apart.contains($0) }
            #expect(screens.count >= 18)
            for screen in screens {
                let text = try await server.send(.get, "/app/\(client.version)/\(screen)").text
                #expect(text.matches(of: #/(?m)^import\b/#).count == 1, "\(screen)")
                let needed = Set(text.matches(of: /need\('([^']+)'\)/).map { $0.1 })
                for module in needed {
                    let isDefined = text.contains("define('\(module)'") || shell.contains("define('\(module)'")
                    #expect(isDefined, "\(screen) needs \(module)")
                }
            }
        }
    }

    @Test func `what the first screens need is small`() async throws {
        let client = try await WebClient.embedded()
        let files = [
            "app.js", "styles.css", "views/chats/chats-screen.js", "text/en.json", "icons/icon.svg",
            "icons/icon-64.png", "text/format-worker.js",
        ]
        let bytes = files.compactMap { client.files[$0]?.compressedBytes }.reduce(client.page.compressedBytes, +)
        #expect(bytes < 100_000)
    }

    @Test func `the page and its worker come with a policy that lets nothing else run`() async throws {
        try await Self.with(try await WebClient.embedded()) { server in
            for path in ["/", "/sw.js"] {
                let policy = try #require(try await server.send(.get, path)["Content-Security-Policy"])
                for rule in [
                    "default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "base-uri 'none'",
                    "frame-ancestors 'none'",
                ] {
                    #expect(policy.contains(rule))
                }
                #expect(!policy.contains("unsafe"))
            }
        }
    }

    @Test func `what a browser has is not sent again, and what it takes compressed is`() async throws {
        try await Self.with(try await WebClient.embedded()) { server in
            let page = try await server.send(.get, "/")
            let tag = try #require(page["ETag"])
            let again = try await server.send(.get, "/", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.body.isEmpty)
            let worker = try await server.send(.get, "/sw.js", headers: [.acceptEncoding: "gzip"])
            #expect(worker["Content-Encoding"] == "gzip")
            #expect(worker.body.starts(with: [0x1F, 0x8B]))
        }
    }

    @Test(arguments: [
        "/app", "/app/", "/app/x/app.js", "/app/VERSION", "/app/VERSION/", "/app/VERSION/none.js",
        "/app/VERSION/index.html", "/app/VERSION/views/../app.js", "/app/VERSION/views/%2e%2e/app.js",
        "/app/VERSION/a/b/c/d.js", "/index.html", "/nowhere",
    ])
    func `other files and other versions are not there`(path: String) async throws {
        let client = try await WebClient.embedded()
        try await Self.with(client) { server in
            try await server.send(.get, path.replacing("VERSION", with: client.version)).expect(.notFound)
        }
    }

    @Test func `a folder's files are read again with every page`() async throws {
        let folder = URL.temporaryDirectory.appending(path: "web-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in ClientFile.embedded {
            let url = folder.appending(path: file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try file.bytes.write(to: url)
        }
        let path = folder.path(percentEncoded: false)
        let client = try await WebClient.inFolder(path)
        let routes = client.routes(rereading: path)
        try await TestServer.with {
            $0.website = routes
        } _: { server in
            let before = try await server.send(.get, "/").text
            try Data("// Changed".utf8).write(to: folder.appending(path: "app.js"))
            let after = try await server.send(.get, "/").text
            #expect(after != before)
            let script = try #require(after.firstMatch(of: /src="(\/app\/[^"]+\/app\.js)"/)).1
            #expect(try await server.send(.get, String(script)).text == "// Changed")
        }
    }

    @Test func `a folder that is no web client is refused by what it lacks`() async throws {
        let error = await #expect(throws: WebClientError.self) { try await WebClient([], isJoined: true) }
        #expect(error?.description.contains("views/routes.js") == true)
    }
}
