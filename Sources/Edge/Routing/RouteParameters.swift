package import Foundation
import HTTPTypes
package import Hummingbird
import ParleyWire

extension CallerContext {
    /// A text of the path.
    package func text(_ name: String) -> String? {
        parameters[name]
    }

    /// An id of the path that names something there may be: what is no UUID names nothing.
    package func id(_ name: String) throws(HTTPProblem) -> UUID {
        guard let id = parameters[name].flatMap({ WireID($0) }) else { throw .notFound }
        return id.uuid
    }

    /// An id of the path that names what the request creates.
    package func newID(_ name: String) throws(HTTPProblem) -> UUID {
        guard let id = parameters[name].flatMap({ WireID($0) })?.uuid else {
            throw .invalid(parameter: name, .invalid, "A UUID is expected.")
        }
        // Ids of version 8 are derived by the server: made by a client, one could claim what belongs to others.
        guard id.uuid.6 >> 4 != 8 else {
            throw .invalid(parameter: name, .notAllowed, "UUIDs of version 8 are made by the server only.")
        }
        return id
    }
}

extension OperatorContext {
    /// An id of the path that names something there may be: what is no UUID names nothing.
    package func id(_ name: String) throws(HTTPProblem) -> UUID {
        guard let id = parameters[name].flatMap({ WireID($0) }) else { throw .notFound }
        return id.uuid
    }
}

extension Request {
    /// The key under which a POST is done once, if the client gave one.
    package var idempotencyKey: UUID? {
        get throws(HTTPProblem) {
            guard let text = headers[.idempotencyKey] else { return nil }
            guard let key = WireID(text) else {
                throw .invalid(parameter: ParleyHeader.idempotencyKey, .invalid, "A UUID is expected.")
            }
            return key.uuid
        }
    }
}
