import Foundation
import Glibc

/// Who may connect to the private PostgreSQL: the account of this process, which the kernel names (`peer`), and nobody else.
///
/// The two files lie beside PostgreSQL's own and are written anew at every start: a directory that an older version made,
/// whose own file trusts everybody who reaches the socket, is closed with its next start. PostgreSQL's account, which other
/// programs may share where this process is root, can read them and not change them.
struct SocketAccess: Sendable {
    private static let map = "parley"

    let directory: DataDirectory

    /// - Throws: `EmbeddedPostgresError.unusableDirectory` where the system has no name for this process's account.
    func write() throws {
        guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name.map({ String(cString: $0) }) else {
            throw EmbeddedPostgresError.unusableDirectory(
                path: directory.path,
                reason:
                    "the account that runs this (number \(geteuid())) has no name, by which PostgreSQL could know it"
            )
        }
        let rules = """
            # Written by Parley at every start: see `parley help serve`.
            local all         all peer map=\(Self.map)
            local replication all peer map=\(Self.map)

            """
        let names = "\(Self.map) \(Self.quoted(name)) \(PostgresLaunch.superuser)\n"
        try FileDescriptor.replace(directory.accessRules, with: rules, mode: 0o644)
        try FileDescriptor.replace(directory.accountNames, with: names, mode: 0o644)
    }

    /// What PostgreSQL is started with.
    var arguments: [String] {
        ["hba_file=\(directory.accessRules)", "ident_file=\(directory.accountNames)"]
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
