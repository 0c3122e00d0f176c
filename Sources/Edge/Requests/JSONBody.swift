import Foundation
package import HTTPTypes
package import Hummingbird
package import NIOCore
package import ParleyWire

/// Writes what travels over HTTP as JSON.
package enum JSONBody {
    private static let encoder = WireJSON.encoder()

    private static let stableEncoder = {
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return encoder
    }()

    package static func encode(_ value: some Encodable) -> ByteBuffer {
        encode(value, encoder)
    }

    /// Writes equal values as equal bytes, at some cost.
    package static func encodeStably(_ value: some Encodable) -> ByteBuffer {
        encode(value, stableEncoder)
    }

    private static func encode(_ value: some Encodable, _ encoder: JSONEncoder) -> ByteBuffer {
        do {
            return ByteBuffer(bytes: try encoder.encode(value))
        } catch {
            preconditionFailure("what we send is built from strings, whole numbers and dates, which all encode")
        }
    }

    package static func response(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        response(encode(value), status: status, headers: headers)
    }

    /// For what is sent very often.
    package static func response(
        writing value: some JSONWritable,
        reserving capacity: Int,
        status: HTTPResponse.Status,
        headers: HTTPFields
    ) -> Response {
        response(
            ByteBuffer(bytes: JSONWriter.data(of: value, reserving: capacity)),
            status: status,
            headers: headers
        )
    }

    /// For what may be very long: where it is, it is written away from the connection's event loop.
    ///
    /// - Parameter weight: about how many bytes it will be.
    package static func response(
        _ value: some Encodable & Sendable,
        weighing weight: Int,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) async -> Response {
        response(await written(weight) { encode(value) }, status: status, headers: headers)
    }

    /// As above, for what knows what it weighs.
    package static func response(
        writing value: some JSONWritable & Sendable,
        status: HTTPResponse.Status,
        headers: HTTPFields
    ) async -> Response {
        let weight = value.weight
        let body = await written(weight) { ByteBuffer(bytes: JSONWriter.data(of: value, reserving: weight)) }
        return response(body, status: status, headers: headers)
    }

    private static func written(_ weight: Int, _ write: @escaping @Sendable () -> ByteBuffer) async -> ByteBuffer {
        guard weight > Representation.largest else { return write() }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { await writtenAnywhere(write) }
    }

    @concurrent private static func writtenAnywhere(_ write: @escaping @Sendable () -> ByteBuffer) async -> ByteBuffer {
        write()
    }

    private static let contentType = HTTPField(name: .contentType, value: "application/json")

    private static func response(_ body: ByteBuffer, status: HTTPResponse.Status, headers: HTTPFields) -> Response {
        var headers = headers
        headers.append(contentType)
        headers.append(HTTPField(name: .contentLength, value: String(body.readableBytes)))
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
