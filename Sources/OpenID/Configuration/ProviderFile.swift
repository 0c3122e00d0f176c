package import Foundation
import Identity

/// The file that names the issuers, as those who run the server write it:
///
///     {"google": {"issuer": "https://accounts.google.com", "clientIds": ["…"], "clientSecret": "…"}}
package enum ProviderFile {
    private static let most = 20
    private static let known: Set<String> = ["name", "issuer", "clientIds", "clientSecret", "caFile", "redirectUrl"]

    /// What is wrong with the file; never holds a secret.
    package struct Mistake: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The providers in the order of their names.
    package static func read(_ data: Data) throws(Mistake) -> [OpenIDProvider] {
        guard let json = try? JSONSerialization.jsonObject(with: data), let object = json as? [String: Any] else {
            throw Mistake("is no JSON object")
        }
        guard (1...most).contains(object.count) else { throw Mistake("names no provider, or more than \(most)") }
        var providers: [OpenIDProvider] = []
        for (id, value) in object.sorted(by: { $0.key < $1.key }) {
            guard isID(id) else {
                throw Mistake("has a provider whose name is not of 1 to 32 letters a-z, digits and hyphens")
            }
            guard let members = value as? [String: Any] else { throw Mistake("\(id) is no JSON object") }
            providers.append(try provider(id, members))
        }
        return providers
    }

    private static func provider(_ id: String, _ members: [String: Any]) throws(Mistake) -> OpenIDProvider {
        // A member that is misspelt would be left out unnoticed.
        if let unknown = members.keys.filter({ !known.contains($0) }).sorted().first {
            throw Mistake(
                "\(id) has \"\(unknown.prefix(40))\", which nothing knows: \(known.sorted().joined(separator: ", "))"
            )
        }
        guard let issuer = members["issuer"] as? String, isAddress(issuer) else {
            throw Mistake("\(id): issuer is the https address that the issuer's tokens name, without a query")
        }
        guard let clientIDs = members["clientIds"] as? [String], (1...20).contains(clientIDs.count),
            clientIDs.allSatisfy(isText)
        else { throw Mistake("\(id): clientIds is a list of 1 to 20 texts, the one for browsers first") }
        guard let secret = members["clientSecret"] as? String, isText(secret) else {
            throw Mistake("\(id): clientSecret is the secret of the first of its clientIds")
        }
        return OpenIDProvider(
            id: id,
            name: try text("name", of: id, members) ?? id.prefix(1).uppercased() + id.dropFirst(),
            issuer: issuer,
            clientIDs: clientIDs,
            clientSecret: Secret(secret),
            trustFile: try text("caFile", of: id, members),
            redirectURL: try redirectURL(of: id, members)
        )
    }

    private static func text(_ name: String, of id: String, _ members: [String: Any]) throws(Mistake) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value as? String, isText(text) else { throw Mistake("\(id): \(name) is a text") }
        return text
    }

    private static func redirectURL(of id: String, _ members: [String: Any]) throws(Mistake) -> String? {
        guard let text = try text("redirectUrl", of: id, members) else { return nil }
        let path = "/v1/auth/oidc/\(id)/callback"
        guard let parts = URLComponents(string: text), parts.path.hasSuffix(path), parts.query == nil,
            parts.fragment == nil, parts.host?.isEmpty == false, ["https", "http"].contains(parts.scheme)
        else { throw Mistake("\(id): redirectUrl is an address of this server that ends with \(path)") }
        return text
    }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }

    private static func isText(_ text: String) -> Bool {
        (1...1_000).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    private static func isAddress(_ text: String) -> Bool {
        guard isText(text), let parts = URLComponents(string: text) else { return false }
        return parts.scheme == "https" && parts.host?.isEmpty == false && parts.query == nil && parts.fragment == nil
            && parts.user == nil
    }
}
