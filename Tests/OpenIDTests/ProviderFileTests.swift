import Foundation
import Testing

@testable import OpenID

struct `The file of issuers` {
    private func read(_ text: String) throws(ProviderFile.Mistake) -> [OpenIDProvider] {
        try ProviderFile.read(Data(text.utf8))
    }

    @Test func `names providers with what they are called`() throws {
        let providers = try read(
            """
            {"google": {"issuer": "https://accounts.google.com", "clientIds": ["web", "ios"], "clientSecret": "s"},
             "acme": {"name": "ACME", "issuer": "https://id.acme.example/realms/one", "clientIds": ["a"], "clientSecret": "t",
                      "caFile": "/etc/acme.pem", "redirectUrl": "https://chat.example/v1/auth/oidc/acme/callback"}}
            """
        )
        #expect(providers.map(\.id) == ["acme", "google"])
        #expect(providers.map(\.name) == ["ACME", "Google"])
        #expect(providers.map(\.clientIDs) == [["a"], ["web", "ios"]])
        #expect(providers.map(\.trustFile) == ["/etc/acme.pem", nil])
        #expect(!"\(providers)".contains("\"t\""))
    }

    @Test(
        arguments: [
            ("", "JSON object"), ("[]", "JSON object"), ("{}", "no provider"), (#"{"A b": {}}"#, "name"),
            (#"{"x": []}"#, "x is no JSON object"),
            (#"{"x": {"client_ids": []}}"#, #"x has "client_ids""#),
            (#"{"x": {"clientIds": ["a"], "clientSecret": "secret"}}"#, "issuer"),
            (#"{"x": {"issuer": "http://a.example", "clientIds": ["a"], "clientSecret": "secret"}}"#, "issuer"),
            (#"{"x": {"issuer": "https://a.example?b", "clientIds": ["a"], "clientSecret": "secret"}}"#, "issuer"),
            (#"{"x": {"issuer": "https://a.example", "clientIds": [], "clientSecret": "secret"}}"#, "clientIds"),
            (#"{"x": {"issuer": "https://a.example", "clientIds": "a", "clientSecret": "secret"}}"#, "clientIds"),
            (#"{"x": {"issuer": "https://a.example", "clientIds": ["a"]}}"#, "clientSecret"),
            (
                #"{"x": {"issuer": "https://a.example", "clientIds": ["a"], "clientSecret": "secret", "caFile": 1}}"#,
                "caFile"
            ),
            (
                #"{"x": {"issuer": "https://a.example", "clientIds": ["a"], "clientSecret": "secret", "redirectUrl": "https://b"}}"#,
                "redirectUrl"
            ),
        ]
    ) func `says what is wrong with it, and no secret`(_ text: String, _ word: String) {
        let mistake = #expect(throws: ProviderFile.Mistake.self) { try read(text) }
        #expect(mistake?.description.contains(word) == true, "\(String(describing: mistake))")
        #expect(mistake?.description.contains("\"secret\"") == false)
    }
}
