import Foundation

/// A module of the web client, read just as far as joining needs it.
///
/// The client's house rules make that little: imports and exports stand at the beginning of their lines, in the forms below, and
/// a binding that is exported never changes.
struct ClientModule: Sendable {
    let path: String
    /// The paths of the modules that it imports at once, in order.
    let imports: [String]
    /// The paths of those that it imports when it needs them.
    let laterImports: [String]
    /// The body with imports taken from `need`, without `export` and without the lines that only comment: an eighth of all bytes.
    let body: String
    /// What it exports: functions, which are there before the body runs, and the rest.
    private let functions: [String]
    private let others: [String]

    init(path: String, text: String) {
        var imports: [String] = []
        var functions: [String] = []
        var others: [String] = []
        var body = ""
        body.reserveCapacity(text.utf8.count)
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
        {
            switch ModuleLine(line) {
            case .comment:
                continue
            case .imported(let binding, let name):
                let imported = Self.resolve(name, from: path)
                imports.append(imported)
                body += binding.map { "const \($0) = need('\(imported)');" } ?? "need('\(imported)');"
            case .exported(let name, let exported, let isFunction):
                if isFunction { functions.append(name) } else { others.append(name) }
                body += exported
            case .exports(let names):
                others.append(String(names))
            case .other:
                body += line
            }
            body += "\n"
        }
        // Each line has brought the end of one.
        if !body.isEmpty { body.removeLast() }
        var laterImports: [String] = []
        self.body = Self.replacingLaterImports(in: body) { name in
            let imported = Self.resolve(name, from: path)
            laterImports.append(imported)
            return "import(at('\(imported)'))"
        }.replacingOccurrences(of: "import.meta.url", with: "at('\(path)')")
        self.path = path
        self.imports = imports
        self.laterImports = laterImports
        self.functions = functions
        self.others = others
    }

    /// The definition, for the registry. What it imports later of `present`, the modules of the file that every page has, is
    /// there without being asked for; one that throws rejects, as an import does. In parentheses, since engines take what
    /// stands in them for called at once: V8 then compiles the module with its file, off the page's thread, and not when it is
    /// needed, which would parse it once more.
    func definition(present: Set<String>) -> String {
        """
        define('\(path)', (function (need, at, exports) {
        Object.assign(exports, { \(functions.joined(separator: ", ")) });
        \(body(present: present))
        Object.assign(exports, { \(others.joined(separator: ", ")) });
        }));

        """
    }

    private func body(present: Set<String>) -> String {
        laterImports.filter(present.contains).reduce(body) { body, path in
            body.replacingOccurrences(
                of: "import(at('\(path)'))",
                with: "new Promise((resolve) => resolve(need('\(path)')))"
            )
        }
    }

    /// Puts something else in place of each `import('./later.js')`.
    private static func replacingLaterImports(in text: String, with replacement: (Substring) -> String) -> String {
        let pieces = text.components(separatedBy: "import('.")
        return pieces.dropFirst().reduce(into: pieces.first ?? "") { text, piece in
            guard let end = piece.firstIndex(of: "'"), piece[end...].hasPrefix("')") else {
                text += "import('.\(piece)"
                return
            }
            text += replacement("." + piece[..<end]) + piece[end...].dropFirst(2)
        }
    }

    private static func resolve(_ name: Substring, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in name.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
