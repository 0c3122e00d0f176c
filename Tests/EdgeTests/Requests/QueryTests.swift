import ParleyWire
import Testing

@testable import Edge

@Suite struct QueryTests {
    @Test(
        arguments: [
            ("query=Ada", "Ada"), ("query=Ada+L", "Ada L"), ("query=Ada%20L", "Ada L"), ("query=%C3%A9", "é"),
            ("a=1&query=x=y&query=z", "x=y"), ("query=", nil), ("query", nil), ("", nil), ("%71uery=x", "x"),
            ("&&query=x&", "x"),
            ("=x", nil),
        ] as [(String, String?)]
    )
    func `parameters are decoded as browsers encode them`(text: String, expected: String?) throws {
        #expect(try Query(text).text("query") == expected)
    }

    @Test(arguments: ["query=%", "query=%4", "query=%zz", "query=%ff", "query=%00", "query=%ED%A0%80"])
    func `what is not UTF-8 text is refused`(text: String) {
        #expect(throws: HTTPProblem.self) { try Query(text).text("query") }
    }

    @Test(arguments: ["0", "-1", "201", "99999999999999999999", "ten", "1.0", "0x10", " 5", "%2B5"])
    func `an absurd limit is refused`(limit: String) throws {
        let problem = try #require(throws: HTTPProblem.self) { try Query("limit=\(limit)").limit(ServerLimits()) }
        #expect(problem.code == .validationFailed)
        #expect(problem.errors.first?.parameter == "limit")
    }

    @Test func `a limit has a default and a maximum`() throws {
        #expect(try Query(nil).limit(ServerLimits()) == 50)
        #expect(try Query("limit=1").limit(ServerLimits()) == 1)
        #expect(try Query("limit=200").limit(ServerLimits()) == 200)
    }

    @Test func `only so many parameters are looked at`() throws {
        let many = String(repeating: "a=1&", count: 64) + "query=x"
        #expect(try Query(many).text("query") == nil)
    }
}
