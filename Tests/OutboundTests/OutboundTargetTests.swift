import Foundation
import Testing

@testable import Outbound

@Suite("URLs that may be asked")
struct OutboundTargetTests {
    private static let vetted = OutboundRules.vetted(allowed: AllowedHosts(["hooks.internal", "127.0.0.0/8"]) ?? .none)

    @Test(
        "are https, and http for hosts that are allowed",
        arguments: [
            "https://push.example.org/abc?d=e", "https://push.example.org:8443/", "HTTPS://Push.Example.org",
            "https://1.1.1.1/x",
            "https://[2606:4700:4700::1111]/x", "http://hooks.internal/x", "http://127.0.0.1:8080/x",
        ]
    )
    func asked(_ text: String) throws {
        _ = try OutboundTarget(try #require(URL(string: text)), Self.vetted)
    }

    @Test(
        "name nothing else",
        arguments: [
            "http://push.example.org/", "ftp://push.example.org/", "file:///etc/passwd", "unix:///run/x.sock",
            "http+unix://%2Frun%2Fx.sock/", "https://user@push.example.org/", "https://user:secret@push.example.org/",
            "https:///x", "https://a..b/", "https://push.example.org:0/", "https://push.example.org:70000/",
            "//push.example.org/",
            "https://push.example.org./", "http://[::1]/", "http://10.0.0.1/", "https://a%2eb%00c/", "data:,x",
        ]
    )
    func refused(_ text: String) {
        guard let url = URL(string: text) else { return }
        #expect(throws: OutboundError(.refusedURL)) { _ = try OutboundTarget(url, Self.vetted) }
    }

    @Test("are not endless")
    func endless() throws {
        let url = try #require(URL(string: "https://push.example.org/" + String(repeating: "a", count: 9_000)))
        #expect(throws: OutboundError(.refusedURL)) { _ = try OutboundTarget(url, Self.vetted) }
    }

    @Test("tell who is asked")
    func hosts() throws {
        #expect(
            try OutboundTarget(#require(URL(string: "https://[::1]:8443/x")), .operators).address == IPAddress("::1")
        )
        #expect(try OutboundTarget(#require(URL(string: "http://Some.Host/x")), .operators).host == "Some.Host")
    }
}
