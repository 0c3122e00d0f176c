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
        self.path = path
        let resolve = { (name: Substring) in Self.resolve(String(name), from: path) }
        imports = text.matches(of: Self.importLine).map { resolve($0.3) }
        laterImports = text.matches(of: /import\('(\.[^']+)'\)/).map { resolve($0.1) }
        var functions: [String] = []
        var others: [String] = []
        for match in text.matches(of: Self.exportedDeclaration) {
            let name = String(match.3)
            let exported = match.1 == nil ? name : "default: \(name)"
            if match.2.hasSuffix("function") { functions.append(exported) } else { others.append(exported) }
        }
        others += text.matches(of: Self.exportList).map { String($0.1) }
        self.functions = functions
        self.others = others
        body =
            text.replacing(Self.commentLine, with: "").replacing(Self.importLine) { match in
                let needed = "need('\(resolve(match.3))');"
                if let name = match.2 { return "const \(name) = \(needed)" }
                guard let names = match.1 else { return needed }
                return "const \(names.replacing(" as ", with: ": ")) = \(needed)"
            }
            .replacing(Self.exportList, with: "")
            .replacing(Self.exportedDeclaration) { "\($0.2) \($0.3)" }
            .replacing("import.meta.url", with: "at('\(path)')")
            .replacing(/import\('(\.[^']+)'\)/) { "import(at('\(resolve($0.1))'))" }
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
            body.replacing("import(at('\(path)'))", with: "new Promise((resolve) => resolve(need('\(path)')))")
        }
    }

    // MARK: Forms

    // Regular expressions are no values that tasks may share, so each use makes its own.
    private static var importLine: Regex<(Substring, Substring?, Substring?, Substring)> {
        /(?m)^import (?:(?:(\{[^}]*\})|\* as ([A-Za-z]+)) from )?'(\.[^']+)';$/
    }

    /// No text of the client has a line that begins so.
    private static var commentLine: Regex<Substring> {
        /(?m)^ *\/\/.*\n/
    }

    private static var exportedDeclaration: Regex<(Substring, Substring?, Substring, Substring)> {
        /(?m)^export (default )?((?:async )?function|class|const) ([A-Za-z_$][A-Za-z0-9_$]*)/
    }

    private static var exportList: Regex<(Substring, Substring)> {
        /(?m)^export \{ ([^}]*) \};$/
    }

    private static func resolve(_ name: String, from path: String) -> String {
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
