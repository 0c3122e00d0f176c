import Foundation
import HTTPTypes
import ParleyWire
import Testing

@testable import Edge

/// What a server answered.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(header: String) -> String? {
        HTTPField.Name(header).flatMap { headers[$0] }
    }

    /// The body; fails the test where the status is another.
    func decode<Value: Decodable>(
        _ type: Value.Type,
        status expected: HTTPResponse.Status? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Value {
        if let expected { #expect(status == expected, "\(text)", sourceLocation: sourceLocation) }
        try #require((200..<300).contains(status.code), "\(status) \(text)", sourceLocation: sourceLocation)
        return try WireJSON.decoder().decode(type, from: body)
    }

    /// The problem document that the answer has to be.
    func problem(sourceLocation: SourceLocation = #_sourceLocation) throws -> Problem {
        #expect(headers[.contentType] == Problem.contentType, sourceLocation: sourceLocation)
        let problem = try WireJSON.decoder().decode(Problem.self, from: body)
        #expect(problem.status == status.code, sourceLocation: sourceLocation)
        #expect(problem.requestId != nil, sourceLocation: sourceLocation)
        #expect(problem.requestId == self[ParleyHeader.requestID], sourceLocation: sourceLocation)
        return problem
    }

    /// Asserts that the answer refuses with this code.
    func expect(
        _ code: ProblemCode,
        pointer: String? = nil,
        parameter: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let problem = try problem(sourceLocation: sourceLocation)
        #expect(problem.knownCode == code, "\(text)", sourceLocation: sourceLocation)
        #expect(status.code == code.status, sourceLocation: sourceLocation)
        if let pointer {
            #expect(
                problem.errors?.contains { $0.pointer == pointer } == true,
                "\(text)",
                sourceLocation: sourceLocation
            )
        }
        if let parameter {
            let isNamed = problem.errors?.contains { $0.parameter == parameter } == true
            #expect(isNamed, "\(text)", sourceLocation: sourceLocation)
        }
    }
}
