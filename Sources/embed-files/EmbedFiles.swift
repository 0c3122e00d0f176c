import Foundation

/// Writes Swift that holds the files of a folder: `embed-files FOLDER OUTPUT`.
///
/// As base64 in static strings, which the compiler reads much faster than arrays of bytes.
@main
enum EmbedFiles {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else {
            FileHandle.standardError.write(Data("usage: embed-files FOLDER OUTPUT\n".utf8))
            exit(2)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true).standardizedFileURL
        let output = URL(fileURLWithPath: CommandLine.arguments[2])
        var text = """
            import Foundation

            enum EmbeddedFiles {
                /// The files of the folder, by their paths in it.
                static let all = Dictionary(uniqueKeysWithValues: encoded.map { ("\\($0.path)", decoded($0.base64)) })

                private static func decoded(_ base64: StaticString) -> Data {
                    guard let bytes = Data(base64Encoded: "\\(base64)") else { preconditionFailure("it is base64") }
                    return bytes
                }

                private static let encoded: [(path: StaticString, base64: StaticString)] = [

            """
        for path in try paths(in: folder) {
            let content = try Data(contentsOf: folder.appending(path: path))
            text += "        (\"\(path)\", \"\(content.base64EncodedString())\"),\n"
        }
        text += "    ]\n}\n"
        try Data(text.utf8).write(to: output, options: .atomic)
    }

    private static func paths(in folder: URL) throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        return all.sorted().filter { path in
            var isFolder: ObjCBool = false
            let full = folder.appending(path: path).path(percentEncoded: false)
            let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
            let isThere = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            return isThere && !isFolder.boolValue && !isHidden
        }
    }
}
