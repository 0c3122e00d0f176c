/// What a line of a module says that joining changes.
///
/// Every start of a server reads all modules. With regular expressions that was three quarters of what a start takes of a
/// processor (decision 0103).
enum ModuleLine {
    /// Nothing but a comment. No text of the client has a line that begins so.
    case comment
    /// `import { h, t as text } from './element.js';` binds `{ h, t: text }`, `import * as names from '../names.js';` binds
    /// `names`, and `import './shell.js';` nothing.
    case imported(binding: String?, from: Substring)
    /// `export const limit = 3;` and such: the name it has for others, and the line without `export`.
    case exported(name: String, line: Substring, isFunction: Bool)
    /// `export { a, b };`
    case exports(Substring)
    case other

    init(_ line: Substring) {
        self =
            line.hasPrefix("import ")
            ? Self.importing(line)
            : line.hasPrefix("export ") ? Self.exporting(line) : Self.isComment(line) ? .comment : .other
    }

    private static func isComment(_ line: Substring) -> Bool {
        line.utf8.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8)
    }

    private static func importing(_ line: Substring) -> ModuleLine {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].hasPrefix("."), parts[2] == ";" else { return .other }
        let clause = parts[0].dropFirst("import ".count)
        guard !clause.isEmpty else { return .imported(binding: nil, from: parts[1]) }
        guard clause.hasSuffix(" from ") else { return .other }
        let binding = clause.dropLast(" from ".count)
        if binding.hasPrefix("* as ") {
            return .imported(binding: String(binding.dropFirst("* as ".count)), from: parts[1])
        }
        guard binding.hasPrefix("{"), binding.hasSuffix("}") else { return .other }
        return .imported(binding: String(binding.replacing(" as ", with: ": ")), from: parts[1])
    }

    private static func exporting(_ line: Substring) -> ModuleLine {
        let list = line.dropFirst("export ".count)
        if list.hasPrefix("{ "), list.hasSuffix(" };") { return .exports(list.dropFirst(2).dropLast(3)) }
        let isDefault = list.hasPrefix("default ")
        let declaration = isDefault ? list.dropFirst("default ".count) : list
        let keywords = ["async function ", "function ", "class ", "const "]
        guard let keyword = keywords.first(where: declaration.hasPrefix) else { return .other }
        let name = declaration.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
        guard let first = name.first, !first.isNumber else { return .other }
        return .exported(
            name: isDefault ? "default: \(name)" : String(name),
            line: declaration,
            isFunction: keyword.hasSuffix("function ")
        )
    }
}
