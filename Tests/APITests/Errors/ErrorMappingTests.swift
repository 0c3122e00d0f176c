import Attachments
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Identity
import Messaging
import NIOCore
import ParleyWire
import Postgres
import ReadModels
import Testing

@testable import API
@testable import Edge
@testable import Live

@Suite struct ErrorMappingTests {
    private static let errors: [(any Error & Sendable, ProblemCode)] = [
        (ConversationRejection.notFound, .notFound),
        (ConversationRejection.personNotAMember(UUID()), .notFound),
        (ConversationRejection.noLongerAMember, .forbidden),
        (ConversationRejection.roleTooLow, .forbidden),
        (ConversationRejection.directIsFixed, .forbidden),
        (ConversationRejection.notOpen, .forbidden),
        (ConversationRejection.withOneself, .validationFailed),
        (ConversationRejection.tooFewParticipants, .validationFailed),
        (ConversationRejection.tooManyParticipants(limit: 3), .validationFailed),
        (ConversationRejection.groupFull(limit: 3), .validationFailed),
        (ConversationRejection.idTaken, .idConflict),
        (AttachmentError.overtaken, .unavailable),
        (UserRejection.notFound, .notFound),
        (CommandError.idConflict, .idConflict),
        (CommandError.overloaded, .overloaded),
        (CommandError.unavailable, .unavailable),
        (CommandError.unknownEvent(UnknownEvent(type: "later", schemaVersion: 1)), .unavailable),
        (CommandError.formatNotOpen(2), .unavailable),
        (CommandError.unknownActor, .unauthenticated),
        (IdentityError.emailTaken, .emailTaken),
        (IdentityError.invalidCredentials, .invalidCredentials),
        (IdentityError.unauthenticated, .unauthenticated),
        (IdentityError.tokenExpired, .tokenExpired),
        (IdentityError.overloaded, .overloaded),
        (IdentityError.invalid([InvalidField(field: "email", code: .invalid, message: "")]), .validationFailed),
        (PostgresConnectionError.connectFailed("no route"), .unavailable),
        (PostgresConnectionError.connectionLost, .unavailable),
        (PostgresConnectionError.closed, .unavailable),
        (PostgresConnectionError.poolExhausted, .overloaded),
        (PostgresConnectionError.queueFull, .overloaded),
        (BadCursor(), .validationFailed),
        (UnknownMessage(), .notFound),
        (CancellationError(), .unavailable),
        (Unforeseen(secret: "my diary"), .internal),
    ]

    private struct Unforeseen: Error {
        let secret: String
    }

    @Test func `every error has its code`() {
        for (error, code) in Self.errors {
            #expect(HTTPProblem(error).code == code, "\(type(of: error)).\(error)")
        }
    }

    @Test func `what cannot be foreseen is told and logged without its words`() {
        let error = Unforeseen(secret: "my diary")
        let document = ProblemDocument(HTTPProblem(error), requestID: "r1")
        #expect(!String(buffer: document.body).contains("diary"))
        #expect(!"\(ErrorMetadata.describing(error))".contains("diary"))
    }

    @Test func `a problem is a document of its own media type`() throws {
        let problem = HTTPProblem.invalid(pointer: "/text", .blank, "A message needs characters that show.")
        let document = ProblemDocument(problem, requestID: "r1")
        #expect(document.head.status.code == 422)
        #expect(document.head.headerFields[.contentType] == "application/problem+json")
        #expect(document.head.headerFields[.requestID] == "r1")
        let decoded = try WireJSON.decoder().decode(Problem.self, from: Data(document.body.readableBytesView))
        #expect(decoded.knownCode == .validationFailed)
        #expect(decoded.requestId == "r1")
        #expect(decoded.errors == problem.errors)
    }

    @Test func `codes bring the headers that belong to them`() {
        func header(_ code: ProblemCode) -> ProblemDocument { ProblemDocument(HTTPProblem(code, ""), requestID: "r1") }
        for code in ProblemCode.allCases {
            let head = header(code).head
            #expect((head.headerFields[.wwwAuthenticate] != nil) == (code.status == 401))
            #expect((head.headerFields[.retryAfter] != nil) == (code.status == 503 || code.status == 429))
        }
    }
}
