import CBuild

/// Which program this is.
enum Build {
    static let version = "0.1.0"

    /// The commit it was built from; nil where the build was not told.
    static let commit: String? = {
        let text = String(cString: parley_build_commit())
        return text.isEmpty ? nil : text
    }()

    /// As `--version` says it.
    static let description = commit.map { "\(version) (\($0))" } ?? version

    /// A metric that is always 1, whose labels tell the program: the way of Prometheus' own programs.
    static var metrics: String {
        """
        # TYPE parley_build_info gauge
        parley_build_info{version="\(version)",commit="\(commit ?? "unknown")"} 1

        """
    }
}
