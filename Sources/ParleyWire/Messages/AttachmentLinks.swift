package import Foundation

/// Makes the URLs under which one session gets files.
package struct AttachmentLinks: Sendable {
    /// What is asked of a file: the whole, or the small picture of it.
    package enum Size: String, Sendable, CaseIterable {
        case full, thumbnail
    }

    /// Whose answer is being written. What is written for nobody in particular, such as an event that goes to many streams,
    /// gets places in its text instead, which ``fill(_:)`` fills for each of them.
    @TaskLocal package static var current: AttachmentLinks?

    private let capability: @Sendable (_ file: UUID, _ size: Size) -> String

    /// - Parameter capability: the parameters of a URL's query that let the session have the file.
    package init(capability: @escaping @Sendable (_ file: UUID, _ size: Size) -> String) {
        self.capability = capability
    }

    package func url(of file: UUID, _ size: Size) -> String {
        let size = size == .full ? (text: "", size) : (text: "size=\(size.rawValue)&", size)
        return "\(Self.path(of: file))?\(size.text)\(capability(file, size.1))"
    }

    /// The URL for whoever gets it who brings a capability of another kind, such as an access token.
    package static func path(of file: UUID) -> String { "/v1/attachments/\(WireID(file))/content" }

    /// The file that a path made here names, or a URL with one.
    package static func file(at url: String) -> UUID? {
        guard url.utf8.count <= 2_048, let start = url.range(of: "/v1/attachments/")?.upperBound else { return nil }
        let parts = url[start...].prefix { $0 != "?" && $0 != "#" }.split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        guard parts.count == 2 && parts[1] == "content" || parts.count == 1 else { return nil }
        return WireID(String(parts[0]))?.uuid
    }

    /// For the session that the answer is for, or a place for it.
    package static func current(_ file: UUID, _ size: Size) -> String {
        current?.url(of: file, size) ?? "\(placeMark)\(WireID(file))\(size == .full ? "f" : "t")"
    }

    // MARK: Places

    /// Known to this process alone, so that nobody can write one.
    private static let placeMark = "~parley-link:\(WireID(UUID()))\(WireID(UUID())):"
    private static let mark = Array(placeMark.utf8)
    private static let idLength = 36

    /// Whether a text has places that must be filled before somebody gets it.
    package static func hasPlaces(_ text: UnsafeRawBufferPointer) -> Bool { place(in: text) != nil }

    private static func place(in text: UnsafeRawBufferPointer) -> Int? {
        guard let base = text.baseAddress else { return nil }
        var start = 0
        // Looked for by its first byte, which is rare.
        while text.count - start >= mark.count,
            let found = memchr(base + start, Int32(mark[0]), text.count - start - mark.count + 1)
        {
            start = base.distance(to: UnsafeRawPointer(found))
            if text[start...].starts(with: mark) { return start }
            start += 1
        }
        return nil
    }

    /// The text with the URLs of this session in the places for them.
    package func fill(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var filled: [UInt8] = []
        filled.reserveCapacity(text.count + 512)
        var rest = text
        while let place = Self.place(in: rest) {
            filled.append(contentsOf: rest[..<place])
            let end = place + Self.mark.count + Self.idLength + 1
            guard end <= rest.count,
                let file = WireID(String(decoding: rest[(end - Self.idLength - 1)..<(end - 1)], as: UTF8.self))
            else { break }
            let size = rest[end - 1] == UInt8(ascii: "f") ? Size.full : .thumbnail
            filled.append(contentsOf: url(of: file.uuid, size).utf8)
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        filled.append(contentsOf: rest)
        return filled
    }
}
