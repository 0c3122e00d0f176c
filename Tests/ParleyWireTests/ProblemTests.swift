import ParleyWire
import Testing

struct ProblemTests {
    @Test(arguments: ProblemCode.allCases)
    func `a problem carries the status, title and retryability of its code`(code: ProblemCode) throws {
        let problem = Problem(code, detail: "why", requestId: "r1")
        #expect(problem.status == code.status)
        #expect((400...599).contains(problem.status))
        #expect(problem.retryable == code.isRetryable)
        #expect(problem.knownCode == code)
        #expect(try decoded(Problem.self, encoded(problem)) == problem)
        #expect(
            try keys(of: problem) == ["type", "title", "status", "detail", "code", "requestId", "retryable"]
        )
    }

    @Test func `validation names the fields`() throws {
        let field = FieldProblem(pointer: "/text", code: .blank, message: "must not be blank")
        let problem = Problem(.validationFailed, errors: [field])
        #expect(
            try encoded(problem).contains(
                #""errors":[{"code":"blank","message":"must not be blank","pointer":"/text"}]"#
            )
        )
    }

    @Test func `a code of a later version still reads`() throws {
        let json = #"{"type": "x", "title": "t", "status": 402, "code": "paymentNeeded", "retryable": false}"#
        let problem = try decoded(Problem.self, json)
        #expect(problem.knownCode == nil)
        #expect(problem.status == 402)
    }
}
