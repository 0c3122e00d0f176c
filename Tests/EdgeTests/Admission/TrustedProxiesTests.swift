import Identity
import NIOCore
import Testing

@testable import Edge

@Suite struct TrustedProxiesTests {
    private func client(_ peer: String, _ forwarded: [String], trusting proxies: [String]) throws -> ClientAddress {
        let proxies = try #require(TrustedProxies(proxies))
        return proxies.client(of: try #require(ClientAddress(peer)), forwarded: forwarded)
    }

    @Test(arguments: [
        // Nobody is trusted: the peer is the client, whatever it says.
        ([], "203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        (["10.0.0.0/8"], "203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        // One proxy appends whom it heard from; what the client wrote before that is its own word.
        (["10.0.0.0/8"], "10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
        (["10.0.0.0/8"], "10.1.2.3", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
        (["10.0.0.0/8"], "10.1.2.3", ["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
        // A chain of trusted proxies is walked from the right.
        (["10.0.0.0/8", "192.0.2.7"], "10.1.2.3", ["198.51.100.1, 192.0.2.7 , 10.9.9.9"], "198.51.100.1"),
        (["10.0.0.0/8"], "10.1.2.3", ["10.2.2.2,10.3.3.3"], "10.2.2.2"),
        (["10.0.0.0/8"], "10.1.2.3", [], "10.1.2.3"),
        // Garbage ends the walk at the nearest trusted hop.
        (["10.0.0.0/8"], "10.1.2.3", ["198.51.100.1, unknown"], "10.1.2.3"),
        (["10.0.0.0/8"], "10.1.2.3", ["198.51.100.1, unknown, 10.9.9.9"], "10.9.9.9"),
        (["10.0.0.0/8"], "10.1.2.3", [""], "10.1.2.3"),
        (["10.0.0.0/8"], "10.1.2.3", [",,,"], "10.1.2.3"),
        (["10.0.0.0/8"], "10.1.2.3", ["256.1.1.1"], "10.1.2.3"),
        (["10.0.0.0/8"], "10.1.2.3", ["[", "["], "10.1.2.3"),
        (["10.0.0.0/8"], "10.1.2.3", ["[::1", "10.9.9.9:"], "10.9.9.9"),
        (["10.0.0.0/8"], "10.1.2.3", ["\u{0}\u{ff}"], "10.1.2.3"),
        // Ports and brackets, as some proxies write them.
        (["10.0.0.0/8"], "10.1.2.3", ["198.51.100.1:4711"], "198.51.100.1"),
        (["10.0.0.0/8"], "10.1.2.3", ["[2001:db8::1]:4711"], "2001:db8::1"),
        (["10.0.0.0/8"], "10.1.2.3", ["2001:db8::1"], "2001:db8::1"),
        // IPv6, and IPv4 as a socket for both tells it.
        (["fd00::/8"], "fd12::1", ["198.51.100.1"], "198.51.100.1"),
        (["::1"], "::1", ["198.51.100.1"], "198.51.100.1"),
        (["::1"], "::2", ["198.51.100.1"], "::2"),
        (["10.0.0.0/8"], "::ffff:10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
        (["0.0.0.0/0"], "2001:db8::1", ["198.51.100.1"], "2001:db8::1"),
        (["::/0"], "203.0.113.9", ["198.51.100.1"], "198.51.100.1"),
    ])
    func `a client is the first from the right that is not trusted`(
        proxies: [String],
        peer: String,
        forwarded: [String],
        expected: String
    ) throws {
        #expect(try client(peer, forwarded, trusting: proxies).bits == ClientAddress(expected)?.bits)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0", "::/129", "example.org", "10.0.0.0/8/8"])
    func `what is neither address nor network is refused`(text: String) {
        #expect(TrustedProxies([text]) == nil)
        #expect(TrustedProxies(["10.0.0.1", text]) == nil)
    }

    @Test func `IPv6 addresses count by their first 64 bits`() throws {
        let network = { (text: String) in try #require(ClientAddress(text)).network }
        #expect(try network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
        #expect(try network("198.51.100.1") == network("::ffff:198.51.100.1"))
        #expect(try network("198.51.100.1") != network("198.51.100.2"))
    }

    @Test func `a socket's address is read, with its interface left out`() throws {
        #expect(ClientAddress(try SocketAddress(ipAddress: "::1", port: 1))?.bits == 1)
        #expect(ClientAddress(try SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
        #expect("\(try #require(ClientAddress("198.51.100.1")))" == "<address>")
    }
}
