import Foundation
import PackagePlugin

/// Puts the files of a target's folder `Client`, `Embedded` or `SQL`, whichever it has, into its program: as they are, in Swift
/// that `embed-files` writes. What SwiftPM writes itself, arrays of bytes, took the compiler 20 s for 55 KB.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folders = ["Client", "Embedded", "SQL"].map { target.directoryURL.appending(path: $0) }
        let found = folders.first { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
        guard let folder = found else {
            Diagnostics.error("\(target.name) has no folder Client, Embedded or SQL")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the files of \(target.name)",
                executable: try context.tool(named: "embed-files").url,
                arguments: [folder.path(percentEncoded: false), output.path(percentEncoded: false)],
                inputFiles: files(in: folder),
                outputFiles: [output]
            )
        ]
    }

    private func files(in folder: URL) -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.compactMap { $0 as? URL } ?? [])
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .sorted { $0.path() < $1.path() }
    }
}
