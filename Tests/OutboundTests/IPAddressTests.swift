import Testing

@testable import Outbound

@Suite("Addresses that anybody may ask")
struct IPAddressTests {
    @Test(
        "are those of the internet",
        arguments: [
            "1.1.1.1", "8.8.8.8", "17.188.143.34", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450:4001:81c::200a", "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ]
    )
    func global(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isGlobal)
    }

    @Test(
        "are none of one's own, none reserved, and none that wraps such",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
            "198.19.255.1",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:53aa:64c::1",
            "2001:2::1",
            "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::1", "3fff::1", "5f00::1",
            "fc00::1",
            "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
        ]
    )
    func notGlobal(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isGlobal)
    }

    @Test(
        "are written in the one usual form",
        arguments: ["127.1", "0x7f.0.0.1", "2130706433", "017700000001", "[::1]", "fe80::1%lo", "1.2.3.4 ", ""]
    )
    func noAddress(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("are read from what they are written as", arguments: ["10.1.2.3", "2001:db8::1", "::ffff:1.2.3.4"])
    func roundTrip(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(IPAddress(address.description) == address)
    }

    @Test("A network holds those that begin like it")
    func networks() throws {
        let network = try #require(IPNetwork("172.16.0.0/12"))
        #expect(network.contains(try #require(IPAddress("172.31.255.255"))))
        #expect(!network.contains(try #require(IPAddress("172.32.0.0"))))
        #expect(!network.contains(try #require(IPAddress("::ffff:172.16.0.1"))))
        let all = try #require(IPNetwork("::/0"))
        #expect(all.contains(try #require(IPAddress("ff02::1"))))
        for text in ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "fd00::/129", "net/8", "/8"] {
            #expect(IPNetwork(text) == nil, "\(text)")
        }
    }

    @Test("Allowed hosts are names, addresses and networks")
    func allowedHosts() throws {
        let allowed = try #require(AllowedHosts(["Hooks.Internal", "10.0.0.0/8", "::1"]))
        #expect(allowed.allows(host: "hooks.internal"))
        #expect(!allowed.allows(host: "other.hooks.internal"))
        #expect(allowed.allows(host: "10.9.8.7"))
        #expect(allowed.allows(host: "0:0:0:0:0:0:0:1"))
        #expect(!allowed.allows(host: "11.0.0.1"))
        for entry in ["", "a b", "https://hooks.internal", "hooks.internal:80", "*.internal", "10.0.0.0/40"] {
            #expect(AllowedHosts([entry]) == nil, "\(entry)")
        }
    }
}
