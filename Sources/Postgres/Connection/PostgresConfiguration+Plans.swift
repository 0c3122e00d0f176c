extension PostgresConfiguration {
    /// Plans each statement once for a connection, whatever its parameters. To plan takes several times what it takes to find
    /// a few rows by their keys: 0.6 of the 0.8 ms that PostgreSQL needed for the answer to an edit.
    ///
    /// Such a plan knows no parameters, and one that was made while the tables were young no sizes either, so rows are found
    /// by indexes: that is right for few of many, and never far wrong.
    ///
    /// - Parameter bitmaps: whether rows may be gathered by bitmaps, as indexes over words and trigrams need.
    package func planningOnce(bitmaps: Bool) -> PostgresConfiguration {
        var configuration = self
        configuration.settings["plan_cache_mode"] = "force_generic_plan"
        for method in ["seqscan", "hashjoin", "mergejoin", "material"] + (bitmaps ? [] : ["bitmapscan"]) {
            configuration.settings["enable_\(method)"] = "off"
        }
        return configuration
    }
}
