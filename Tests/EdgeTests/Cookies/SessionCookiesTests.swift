import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Edge
@testable import Identity

struct `Cookies of sessions` {
    private static func request(_ host: String, _ headers: HTTPFields = [:]) -> Request {
        let head = HTTPRequest(method: .post, scheme: nil, authority: host, path: "/", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    private static let cookie = SessionCookie(value: Secret("abc"), lifetime: .seconds(60))

    private static func setting(_ rules: EdgeRules, _ request: Request) -> String? {
        SessionCookies(rules).setting(cookie, for: request, from: nil)?.value
    }

    private static let overTLS = "__Host-parley=abc; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=60"
    private static let overHTTP = "parley=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60"

    @Test func `are bound to the host over TLS`() {
        var rules = EdgeRules()
        rules.isBehindTLS = true
        for host in ["chat.example.org", "localhost:8080"] {
            #expect(Self.setting(rules, Self.request(host)) == Self.overTLS)
        }
    }

    @Test func `are to be had over plain HTTP on this machine alone, or where that is allowed`() {
        let local = [
            "localhost", "LOCALHOST:8080", "ada.localhost", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8080",
        ]
        for host in local {
            #expect(Self.setting(EdgeRules(), Self.request(host)) == Self.overHTTP, "\(host)")
        }
        let elsewhere = [
            "chat.example.org", "localhost.example.org", "mylocalhost", "128.0.0.1", "10.0.0.1:8080", "[::2]",
            "[::ffff:10.0.0.1]", "127.0.0.1.example.org", "",
        ]
        var rules = EdgeRules()
        rules.cookiesOverHTTP = true
        for host in elsewhere {
            #expect(Self.setting(EdgeRules(), Self.request(host)) == nil, "\(host)")
            #expect(Self.setting(rules, Self.request(host)) == Self.overHTTP, "\(host)")
        }
    }

    @Test func `are not taken for those of this machine where a proxy stands between`() {
        let signs: [HTTPFields] = [
            [.forwardedFor: "10.0.0.1"], [.forwardedProto: "https"], [.forwarded: "for=10.0.0.1"], [.via: "1.1 proxy"],
            [.secFetchSite: "same-origin", .origin: "https://chat.example.org"],
        ]
        let cookies = SessionCookies(EdgeRules())
        for headers in signs {
            let request = Self.request("127.0.0.1:8080", headers)
            #expect(throws: HTTPProblem.self, "\(headers)") { try cookies.admit(request, from: nil) }
        }
        for headers: HTTPFields in [[:], [.origin: "http://127.0.0.1:8080"]] {
            #expect(throws: Never.self) { try cookies.admit(Self.request("127.0.0.1:8080", headers), from: nil) }
        }
    }

    @Test func `are read by the name of their place alone`() {
        let headers: HTTPFields = [.cookie: "a=b; __Host-parley=secure; parley=plain"]
        var rules = EdgeRules()
        let plain = SessionCookies(rules).value(of: Self.request("localhost", headers), from: nil)
        #expect(plain == "plain")
        rules.isBehindTLS = true
        let secure = SessionCookies(rules).value(of: Self.request("localhost", headers), from: nil)
        #expect(secure == "secure")
        let none = SessionCookies(EdgeRules()).value(of: Self.request("a.example.org", headers), from: nil)
        #expect(none == nil)
    }

    @Test(
        arguments: [
            ("parley=a", "a"), (" parley=a ; b=c", "a"), ("b=c;parley=", ""), ("b=c; parley=a=b", "a=b"),
            ("parley=a; parley=b", nil), ("parley=a; b=c; parley=a", "a"), ("parley=a; parley=", nil),
            ("xparley=a", nil), ("parleyx=a", nil), ("parley", nil), ("", nil),
            (";;=;", nil), ("PARLEY=a", nil), ("b=parley=a", nil),
        ]
    )
    func `are found in their header`(header: String, value: String?) {
        #expect(CookieField.value(of: "parley", in: header) == value)
    }

    @Test(
        arguments: [
            ("same-origin", nil, true), ("same-origin", "https://evil.example", true), ("cross-site", nil, false),
            ("same-site", nil, false), ("none", nil, false), ("same-origin, same-origin", nil, false),
            ("cross-site", "https://chat.example.org", false), (nil, "https://chat.example.org", true),
            (nil, "http://chat.example.org", false), (nil, "https://chat.example.org:444", false),
            (nil, "https://chat.example.org.evil.example", false), (nil, "null", false), (nil, nil, false),
            ("", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func `count on requests of own pages`(site: String?, origin: String?, isOwn: Bool) {
        var headers: HTTPFields = [:]
        headers[.secFetchSite] = site
        headers[.origin] = origin
        for host in ["chat.example.org", "Chat.Example.org:443"] {
            var rules = EdgeRules()
            rules.isBehindTLS = true
            let request = Self.request(host, headers.merging([.cookie: "__Host-parley=a"]))
            let held = SessionCookies(rules).cookie(of: request, from: nil)
            #expect(held.map { RequestSite.isOwn(request, at: $0.place) } == isOwn)
            // Who signs in may also be no browser, which says nothing of its page.
            let isForeign = !isOwn && (site != nil || origin != nil)
            #expect(held.map { RequestSite.isForeign(request, at: $0.place) } == isForeign)
        }
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var all = self
        all.append(contentsOf: others)
        return all
    }
}
