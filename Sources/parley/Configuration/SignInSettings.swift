import ArgumentParser
import Foundation
import OpenID

/// The settings of signing in beside passwords.
struct SignInSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "oidc-file",
            .text,
            "A JSON file with Google and other OpenID Connect issuers that people may sign in with."
        )
    )
    var issuers: Setting<String?>
}

extension Configuration {
    /// The issuers that the file names; none where there is none.
    func openIDProviders() throws(ConfigurationError) -> [OpenIDProvider] {
        guard let path = signIn.issuers.value else { return [] }
        let name = signIn.issuers.environmentName
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ConfigurationError("\(name): \(path) cannot be read")
        }
        do {
            return try ProviderFile.read(data)
        } catch {
            throw ConfigurationError("\(name): \(path) \(error)")
        }
    }
}
