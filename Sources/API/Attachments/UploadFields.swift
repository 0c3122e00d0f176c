import Attachments
import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ParleyWire

/// What a request says of the file that it brings, checked.
struct UploadFields {
    let kind: AttachedFile.Kind
    let name: String?
    let durationMs: Int?
    let waveform: [Int]?
    let upload: UploadHeaders

    init(_ request: Request) throws(HTTPProblem) {
        let query = Query(request.uri.query)
        upload = try UploadHeaders(request)
        let type = request.headers[.contentType] ?? ""
        let kind = try query.choice("kind", of: AttachedFile.Kind.self) ?? Self.kind(of: type)
        self.kind = kind
        name = try query.text("name", atMost: 1_024)
        durationMs = try Self.duration(try query.text("durationMs"), kind)
        waveform = try Self.waveform(try query.text("waveform", atMost: 4 * AttachmentLimits.waveformValues), kind)
    }

    private static func duration(_ text: String?, _ kind: AttachedFile.Kind) throws(HTTPProblem) -> Int? {
        guard let text else { return nil }
        if kind == .audio, let number = Int(text), (0...86_400_000).contains(number) { return number }
        let message = "The milliseconds of an audio file are expected, a day at most."
        throw .invalid(parameter: "durationMs", .outOfRange, message)
    }

    private static func waveform(_ text: String?, _ kind: AttachedFile.Kind) throws(HTTPProblem) -> [Int]? {
        guard let text else { return nil }
        let values = text.split(separator: ",", omittingEmptySubsequences: false).map { UInt8($0) }
        let known = values.compactMap { $0.map(Int.init) }
        if kind == .audio, values.count <= AttachmentLimits.waveformValues, known.count == values.count { return known }
        let most = AttachmentLimits.waveformValues
        let message = "Up to \(most) whole numbers from 0 to 255 of an audio file are expected, with commas between."
        throw .invalid(parameter: "waveform", .invalid, message)
    }

    /// Where it is not said.
    private static func kind(of type: String) -> AttachedFile.Kind {
        let type = type.lowercased()
        if ["image/jpeg", "image/png", "image/webp"].contains(where: type.hasPrefix) { return .image }
        return type.hasPrefix("audio/") ? .audio : .file
    }
}

/// What the headers of an upload say (draft-ietf-httpbis-resumable-upload-11).
struct UploadHeaders {
    /// Of this request's body; nil where it is not said.
    let bodyLength: Int64?
    /// Of the whole file; nil where it is not said.
    let length: Int64?
    let offset: Int64?
    /// Whether the file ends with the request's body; nil where it is not said.
    let isComplete: Bool?

    init(_ request: Request) throws(HTTPProblem) {
        let bodyLength = try Self.number(.contentLength, in: request)
        let offset = try Self.number(.uploadOffset, in: request)
        let isComplete = try Self.boolean(.uploadComplete, in: request)
        let announced = try Self.number(.uploadLength, in: request)
        let isWhole = isComplete ?? true
        let known = isWhole ? bodyLength.map { $0 + (offset ?? 0) } : nil
        if let announced, let known, announced != known {
            throw .malformed("\(ParleyHeader.uploadLength) is not what the body comes to.")
        }
        self.bodyLength = bodyLength
        self.offset = offset
        self.isComplete = isComplete
        length = announced ?? known
    }

    private static func boolean(_ name: HTTPField.Name, in request: Request) throws(HTTPProblem) -> Bool? {
        switch request.headers[name] {
        case nil: nil
        case "?1": true
        case "?0": false
        default: throw .malformed("\(name.rawName) is ?1 or ?0.")
        }
    }

    private static func number(_ name: HTTPField.Name, in request: Request) throws(HTTPProblem) -> Int64? {
        guard let text = request.headers[name] else { return nil }
        guard text.utf8.count <= 15, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(text)
        else { throw .malformed("\(name.rawName) is a whole number.") }
        return number
    }
}
