import HTTPTypes
package import Hummingbird
import NIOCore
import ParleyWire

extension HTTPProblem {
    fileprivate init(_ error: JSONError) {
        switch error {
        case .notUTF8, .syntax: self = .malformed(error.description)
        // As far as it was read it is JSON, only more of it than anything here asks for.
        case .tooDeep, .tooManyValues: self = .invalid(pointer: "", .outOfRange, error.description)
        }
    }
}

extension Request {
    /// The members of the JSON object in the body.
    ///
    /// A body without a Content-Type is taken for JSON; with another one it is refused, whatever it holds.
    package func fields() async throws -> Fields {
        try checkContentType()
        let body = try await collectBody()
        guard body.readableBytes > 0 else { throw HTTPProblem.malformed("A JSON object is expected in the body.") }
        return try Self.fields(of: body)
    }

    /// As ``fields()``, where a body may be left out: then no member is there.
    package func optionalFields() async throws -> Fields {
        let body = try await collectBody()
        guard body.readableBytes > 0 else { return Fields([:]) }
        try checkContentType()
        return try Self.fields(of: body)
    }

    private static func fields(of body: ByteBuffer) throws(HTTPProblem) -> Fields {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(body.readableBytesView))
        } catch {
            throw HTTPProblem(error)
        }
        guard case .object(let members) = json else {
            throw .invalid(pointer: "", .wrongType, "An object is expected.")
        }
        return Fields(members)
    }

    private func collectBody() async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: BodyRule.fields.maxBytes)
        } catch is NIOTooManyBytesError {
            throw BodyRule.fields.tooLarge
        }
    }

    /// Refuses a body that says to be larger than its route allows, before it comes.
    func checkLength(_ rule: BodyRule) throws(HTTPProblem) {
        guard let text = headers.single(.contentLength) else { return }
        // The parser lets digits through alone: what is no number is beyond them all.
        guard let length = Int(text), length <= rule.maxBytes else { throw rule.tooLarge }
    }

    private func checkContentType() throws(HTTPProblem) {
        guard let contentType = headers.single(.contentType), contentType != "application/json" else { return }
        let parts = contentType.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        let charsets = parts.dropFirst().filter { $0.hasPrefix("charset=") }
        let isUTF8 = charsets.allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
        guard parts.first == "application/json", isUTF8 else {
            throw HTTPProblem(.unsupportedMediaType, "Bodies are application/json in UTF-8.")
        }
    }
}
