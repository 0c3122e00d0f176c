import EventStore
import Foundation
import ParleyWire
import Testing

@testable import Attachments

@Suite struct `A capability` {
    private static let beginning = Date(timeIntervalSince1970: 1_800_000_000)

    private func signer(at time: TimeInterval = 0, key: UInt8 = 1, other: UInt8? = nil) throws -> LinkSigner {
        let bytes = { Array(repeating: $0, count: 32) as [UInt8] }
        let masterKey = try #require(MasterKey(bytes: bytes(key), other: other.map(bytes)))
        return LinkSigner(masterKey: masterKey) { Self.beginning.addingTimeInterval(time) }
    }

    private func parts(_ url: String) -> [String: String] {
        let query = url.split(separator: "?").last ?? ""
        return Dictionary(
            query.split(separator: "&").compactMap { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
        ) { first, _ in first }
    }

    @Test func `is for one file, size and session, and an hour at most`() throws {
        let (file, session) = (UUID(), UUID())
        let url = try signer().links(for: session).url(of: file, .full)
        #expect(AttachmentLinks.file(at: url) == file)
        let p = parts(url)
        func read(_ signer: LinkSigner, file: UUID = file, _ size: AttachmentLinks.Size = .full) -> UUID? {
            signer.session(of: file, size, p["s"], p["e"], p["k"])
        }
        #expect(read(try signer()) == session)
        #expect(read(try signer(at: 1_790)) == session)
        #expect(read(try signer(at: 3_601)) == nil)
        #expect(read(try signer(), .thumbnail) == nil)
        #expect(read(try signer(), file: UUID()) == nil)
        #expect(read(try signer(key: 2)) == nil)
        #expect(read(try signer(key: 2, other: 1)) == session)
        #expect(try signer().session(of: file, .full, "\(UUID())", p["e"], p["k"]) == nil)
        #expect(try signer().session(of: file, .full, p["s"], "99999999999", p["k"]) == nil)
        #expect(try signer().session(of: file, .full, p["s"], p["e"], "") == nil)
        #expect(try signer().session(of: file, .full, nil, nil, nil) == nil)
    }

    @Test func `stays the same for a while, so that it can be kept`() throws {
        let (file, session) = (UUID(), UUID())
        let urls = try [0, 60, 1_700].map { try signer(at: $0).links(for: session).url(of: file, .full) }
        #expect(Set(urls).count == 1)
    }

    @Test func `is put into the places that were left for it`() throws {
        let file = UUID()
        let text =
            #"{"a":"\#(AttachmentLinks.current(file, .full))","b":"\#(AttachmentLinks.current(file, .thumbnail))"}"#
        let links = try signer().links(for: UUID())
        let filled = Array(text.utf8).withUnsafeBytes { bytes in
            #expect(AttachmentLinks.hasPlaces(bytes))
            return String(decoding: links.fill(bytes), as: UTF8.self)
        }
        #expect(filled == #"{"a":"\#(links.url(of: file, .full))","b":"\#(links.url(of: file, .thumbnail))"}"#)
        Array("nothing ~ parley-link: here".utf8).withUnsafeBytes { #expect(!AttachmentLinks.hasPlaces($0)) }
    }
}
