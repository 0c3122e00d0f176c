package import Edge
import HTTPTypes
import Hummingbird

extension WebClient {
    /// Its routes, for the clients' port: the page, its files, and what browsers look for at the root.
    ///
    /// - Parameter folder: where the files are read anew for every page, by those who work on them; nil for those that do not
    ///   change.
    package func routes(rereading folder: String? = nil) -> [Route] {
        let current = CurrentClient(self, folder: folder)
        let routes = Routes<EdgeContext>(at: "", classOf: { _, _ in .free }, { .open($0) })
        for address in addresses {
            routes.get(String(address.dropFirst())) { request, _ in
                await current.reread().page.response(to: request)
            }
        }
        routes.get("sw.js") { request, _ in current.client.worker.response(to: request) }
        routes.get("manifest.webmanifest") { request, _ in current.client.manifest.response(to: request) }
        routes.get("app/version") { request, _ in current.client.versionAnswer.response(to: request) }
        let depth = files.keys.map { $0.split(separator: "/").count }.max() ?? 0
        for depth in stride(from: 1, through: depth, by: 1) {
            let names = (1...depth).map { "{part\($0)}" }.joined(separator: "/")
            routes.get("app/{version}/\(names)") { request, _ in
                try current.client.file(at: request.uri.path).response(to: request)
            }
        }
        return routes.all
    }

    /// - Throws: `notFound` for a file that there is not, or not in this version: whoever asks for another one has a page that
    ///   is older or newer than this server.
    private func file(at path: String) throws(HTTPProblem) -> FixedContent {
        let beginning = "/app/\(version)/"
        guard path.hasPrefix(beginning), let file = files[String(path.dropFirst(beginning.count))] else {
            throw .notFound
        }
        return file
    }
}
