import Testing

@testable import Edge

struct AcceptEncodingTests {
    @Test(arguments: [
        "gzip", "GZIP", "x-gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "deflate,*;q=0.001",
        "gzip;q=1", "gzip;q=1.", "gzip;q=1.000", "gzip;q=0.001", "gzip ; q=0.5", "\tgzip\t;\tQ=0.5", ",,gzip,,",
        "identity;q=0.5, gzip;q=0.5", "identity;q=0, gzip;q=0.1", "gzip, gzip;q=0", "deflate;q=x, gzip",
    ])
    func `takes gzip`(field: String) {
        #expect(AcceptEncoding.prefersGzip(field))
    }

    @Test(arguments: [
        nil, "", " ", ",", ";", ";q=1", "identity", "deflate, br", "gzip;q=0", "gzip;q=0.", "gzip;q=0.000", "*;q=0",
        "gzip;q=0, *", "*;q=1, gzip;q=0", "identity, gzip;q=0.9", "identity;q=1, *;q=0.5", "gzipped", "gzi p",
        "\"gzip\"",
        // Weights that are none: the member counts as not there.
        "gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=-1", "gzip;q=.5", "gzip;q=0,5", "gzip;q=1e0",
        "gzip;q=٠", "gzip;q=0.é", "gzip;q", "gzip;level=9", "gzip;q=1;q=1", "gzip;;q=1", "gzip q=1",
    ])
    func `does not take gzip`(field: String?) {
        #expect(!AcceptEncoding.prefersGzip(field))
    }

    @Test func `what no client has use for is not read`() {
        #expect(!AcceptEncoding.prefersGzip(String(repeating: "gzip,", count: 2_000)))
        #expect(!AcceptEncoding.prefersGzip("gzip;q=0." + String(repeating: "1", count: 8_000)))
        #expect(!AcceptEncoding.prefersGzip(String(repeating: ";", count: 500)))
        #expect(AcceptEncoding.prefersGzip(String(repeating: ",", count: 500) + "gzip"))
    }
}
