import Crypto
package import Edge
import Foundation
import HTTPTypes
import NIOCore

/// The web client as it is served: one page at every address of its router, and its files under a hash of them all, where
/// they never change.
package struct WebClient: Sendable {
    /// The hash of all files, in hexadecimal.
    package let version: String
    /// The patterns of the router's addresses, such as `/conversations/{id}`.
    let addresses: [String]
    let page: FixedContent
    /// What is shown at an address where there is nothing, to people: it has no script, and names nothing of the address.
    package let missing: FixedContent
    let worker: FixedContent
    let manifest: FixedContent
    /// `{"version": …}`: open pages learn by it that there is another one.
    let versionAnswer: FixedContent
    /// By their paths in the folder `Client`.
    let files: [String: FixedContent]

    /// The client that the program carries, its modules joined.
    ///
    /// - Throws: ``WebClientError`` where a file is missing that every client has.
    package static func embedded() async throws -> WebClient {
        try await WebClient(ClientFile.embedded, isJoined: true)
    }

    /// The client of a folder, file by file, for those who work on it.
    ///
    /// - Throws: as ``embedded()``, and where the folder cannot be read.
    package static func inFolder(_ folder: String) async throws -> WebClient {
        try await WebClient(ClientFile.inFolder(folder), isJoined: false)
    }

    init(_ all: [ClientFile], isJoined: Bool) async throws {
        addresses = Self.addresses(in: try Self.text(of: "views/routes.js", in: all))
        let files = isJoined ? try JoinedFiles(all).files : all
        var hash = SHA256()
        for file in files {
            hash.update(data: Data("\(file.path)\0\(file.bytes.count)\0".utf8))
            hash.update(data: file.bytes)
        }
        // 80 bits: nobody makes files to collide with their own.
        let version = hash.finalize().prefix(10)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        self.version = version
        page = try await Self.content(of: "index.html", in: files, more: PagePolicy.fields) { page in
            let name = "name=\"parley-version\" content="
            return page.replacing("\"/app/", with: "\"/app/\(version)/")
                .replacing("\(name)\"\"", with: "\(name)\"\(version)\"")
        }
        missing = try await Self.content(of: "missing.html", in: files, more: PagePolicy.fields) { page in
            page.replacing("\"/app/", with: "\"/app/\(version)/")
        }
        worker = try await Self.content(of: "sw.js", in: files, more: PagePolicy.fields) { worker in
            worker.replacing("{{version}}", with: version)
        }
        manifest = try await Self.content(of: "manifest.webmanifest", in: files) { manifest in
            manifest.replacing("{{version}}", with: version)
        }
        versionAnswer = await FixedContent(
            ByteBuffer(string: "{\"version\":\"\(version)\"}"),
            type: "application/json",
            more: [.cacheControl: "no-store"]
        )
        var contents: [String: FixedContent] = [:]
        for file in files where !["index.html", "missing.html", "sw.js", "manifest.webmanifest"].contains(file.path) {
            let kept: HTTPFields = [.cacheControl: "public, max-age=31536000, immutable"]
            contents[file.path] = await FixedContent(ByteBuffer(bytes: file.bytes), type: file.type, more: kept)
        }
        self.files = contents
    }

    /// The addresses of the client's router, whose file names each as `onRoute('/conversations/:id', …`.
    private static func addresses(in routes: String) -> [String] {
        routes.matches(of: /onRoute\('(\/[^']*)'/).map { match in
            String(match.1).replacing(/:([A-Za-z]+)/) { "{\($0.1)}" }
        }
    }

    private static func text(of path: String, in files: [ClientFile]) throws(WebClientError) -> String {
        guard let file = files.first(where: { $0.path == path }) else { throw WebClientError(missing: path) }
        return String(decoding: file.bytes, as: UTF8.self)
    }

    private static func content(
        of path: String,
        in files: [ClientFile],
        more: HTTPFields = [:],
        _ change: (String) -> String
    ) async throws -> FixedContent {
        let text = try text(of: path, in: files)
        let type = ClientFile(path: path, bytes: Data()).type
        return await FixedContent(ByteBuffer(string: change(text)), type: type, more: more)
    }
}

/// A folder is no web client.
package struct WebClientError: Error, CustomStringConvertible {
    package let description: String

    init(missing path: String) {
        description = "the web client's folder has no \(path)"
    }
}
