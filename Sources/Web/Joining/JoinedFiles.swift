import Foundation

/// The client's files with few to ask for: the modules that the first screens need in one, those of each other screen in another,
/// and all styles in one.
///
/// A page that asks for seventy files before it shows anything waits for a bad network seventy times.
struct JoinedFiles {
    private static let entry = "app.js"
    private static let registry = "registry.js"
    private static let styles = "styles.css"
    /// What runs apart from the page, and imports nothing.
    private static let workers: Set = ["sw.js", "text/format-worker.js"]
    /// In a file's first line it has Chromium compile all functions while the file comes, apart from the page. Most of them are
    /// called before anything is on the screen: otherwise each would be compiled then, one by one, by the thread that draws.
    private static let hint = "//# allFunctionsCalledOnLoad\n"
    /// What almost everybody sees first.
    private static let first = "views/chats/chats-screen.js"

    let files: [ClientFile]

    /// - Throws: ``WebClientError`` where a module imports one that there is not.
    init(_ files: [ClientFile]) throws(WebClientError) {
        var modules: [String: ClientModule] = [:]
        for file in files where file.path.hasSuffix(".js") && !Self.workers.contains(file.path) {
            modules[file.path] = ClientModule(path: file.path, text: String(decoding: file.bytes, as: UTF8.self))
        }
        let later = Set(modules.values.flatMap(\.laterImports))
        let shell = try Self.closure(of: [Self.entry, Self.first], in: modules)
        var joined: [ClientFile] = []
        for file in files {
            switch file.path {
            case Self.entry:
                joined.append(ClientFile(path: file.path, text: try Self.shell(shell, files, modules)))
            case let path where later.contains(path):
                let more = try Self.closure(of: [path], in: modules).filter { !shell.contains($0) }
                joined.append(ClientFile(path: path, text: Self.screen(path, more, modules, present: Set(shell))))
            case let path where modules[path] != nil: continue
            case "index.html", "missing.html": joined.append(Self.page(file))
            case let path where path.hasSuffix(".css"): continue
            default: joined.append(file)
            }
        }
        joined.append(ClientFile(path: Self.styles, text: Self.styles(of: files)))
        self.files = joined
    }

    /// Modules and all that they import at once, each after those that it imports.
    private static func closure(
        of paths: [String],
        in modules: [String: ClientModule]
    ) throws(WebClientError) -> [String] {
        var found: [String] = []
        var visited: Set<String> = []
        func visit(_ path: String) throws(WebClientError) {
            guard visited.insert(path).inserted else { return }
            guard let module = modules[path] else { throw WebClientError(missing: path) }
            for imported in module.imports { try visit(imported) }
            found.append(path)
        }
        for path in paths { try visit(path) }
        return found
    }

    /// The registry, the modules, and the entry's body, which nobody imports. Waiting there holds up no screen's file, which
    /// imports this one.
    private static func shell(
        _ paths: [String],
        _ files: [ClientFile],
        _ modules: [String: ClientModule]
    ) throws(WebClientError) -> String {
        guard let registry = files.first(where: { $0.path == Self.registry }), let entry = modules[Self.entry] else {
            throw WebClientError(missing: Self.registry)
        }
        return hint + String(decoding: registry.bytes, as: UTF8.self)
            + paths.filter { $0 != Self.entry }.compactMap { modules[$0]?.definition(present: Set(paths)) }.joined()
            + "(async () => {\n\(entry.body)\n})();\n"
    }

    private static func screen(
        _ path: String,
        _ more: [String],
        _ modules: [String: ClientModule],
        present: Set<String>
    ) -> String {
        let up = String(repeating: "../", count: path.split(separator: "/").count - 1)
        return hint + "import { define, need } from '\(up)\(entry)';\n"
            + more.compactMap { modules[$0]?.definition(present: present) }.joined()
            + "export default need('\(path)').default;\n"
    }

    /// The page's styles in its order.
    private static func styles(of files: [ClientFile]) -> String {
        let page = files.first { $0.path == "index.html" }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return page.matches(of: styleLine).compactMap { match in
            files.first { $0.path == match.1 }.map { String(decoding: $0.bytes, as: UTF8.self) }
        }.joined(separator: "\n")
    }

    private static func page(_ file: ClientFile) -> ClientFile {
        var text = String(decoding: file.bytes, as: UTF8.self)
        if let first = text.firstMatch(of: styleLine) {
            text.insert(contentsOf: "<link rel=\"stylesheet\" href=\"/app/\(styles)\">\n", at: first.range.lowerBound)
        }
        let single = text.firstMatch(of: styleLine)?.0
        text.replace(styleLine) { $0.0 == single ? String($0.0) : "" }
        return ClientFile(path: file.path, text: text)
    }

    private static var styleLine: Regex<(Substring, Substring)> {
        /<link rel="stylesheet" href="\/app\/([^"]+)">\n/
    }
}

extension ClientFile {
    init(path: String, text: String) {
        self.init(path: path, bytes: Data(text.utf8))
    }
}
