import Foundation
import Identity
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The configuration` {
    private static let tooLongName = String(repeating: "x", count: 101)
    private static let tooManyNames = Array(repeating: "a", count: 1_001).joined(separator: ",")

    @Test func `prefers a flag to the environment, and the environment to the default`() async throws {
        let environment = ["PARLEY_PORT": "1234", "PARLEY_HOST": "127.0.0.2"]
        let ended = try await ParleyProcess.run(["config", "--port", "4321"], environment: environment)
        #expect(ended.code == 0)
        #expect(line("--port", of: ended) == ["--port", "PARLEY_PORT", "flag", "4321"])
        #expect(line("--host", of: ended) == ["--host", "PARLEY_HOST", "environment", "127.0.0.2"])
        #expect(line("--lanes", of: ended).dropLast() == ["--lanes", "PARLEY_LANES", "default"])
    }

    @Test func `never shows a secret`() async throws {
        let environment = ["DATABASE_URL": "postgres://u:hunter2@h/d", "PARLEY_MASTER_KEY": "hunter3"]
        let ended = try await ParleyProcess.run(["config", "--migrate-url", "hunter4"], environment: environment)
        #expect(ended.code == 0)
        #expect(!ended.output.contains("hunter"))
        #expect(line("--database-url", of: ended) == ["--database-url", "DATABASE_URL", "environment", "***"])
    }

    @Test(
        arguments: [
            (["PARLEY_PORT": "65536"], "PARLEY_PORT"),
            (["PARLEY_PORT": "eighty"], "PARLEY_PORT"),
            (["PARLEY_LOG_PARTITIONS": "0"], "PARLEY_LOG_PARTITIONS"),
            (["PARLEY_IMAGES_AT_ONCE": "0"], "PARLEY_IMAGES_AT_ONCE"),
            (["PARLEY_IMAGES_AT_ONCE": "1000000"], "PARLEY_IMAGES_AT_ONCE"),
            (["PARLEY_ACCESS_TOKEN_LIFETIME": "9"], "PARLEY_ACCESS_TOKEN_LIFETIME"),
            (["PARLEY_REFRESH_TOKEN_LIFETIME": "99999999999999999999d"], "PARLEY_REFRESH_TOKEN_LIFETIME"),
            (["PARLEY_LOG_LEVEL": "loud"], "PARLEY_LOG_LEVEL"),
            (["PARLEY_LOG_FORMAT": "xml"], "PARLEY_LOG_FORMAT"),
            (["PARLEY_OPS_PORT": "8080"], "PARLEY_OPS_PORT"),
            (["PARLEY_SMTP_URL": "smtp://mail.example.org"], "PARLEY_MAIL_FROM"),
            (["PARLEY_SMTP_URL": "mail.example.org", "PARLEY_MAIL_FROM": "a@example.org"], "PARLEY_SMTP_URL"),
            (["PARLEY_SMTP_USER": "ada"], "PARLEY_SMTP_USER"),
            (["PARLEY_MAIL_FROM": "nobody"], "PARLEY_MAIL_FROM"),
            (["PARLEY_OPERATOR_EMAIL": "nobody"], "PARLEY_OPERATOR_EMAIL"),
            (["PARLEY_APP_URL": "chat.example.org"], "PARLEY_APP_URL"),
            (["PARLEY_APP_URL": "https://chat.example.org/?token="], "PARLEY_APP_URL"),
            (["PARLEY_OIDC_FILE": "/nowhere/oidc.json"], "PARLEY_OIDC_FILE"),
            (["PARLEY_LIMITS": "off", "PARLEY_HOST": "0.0.0.0"], "PARLEY_LIMITS"),
            (["PARLEY_LIMIT_SEND": "50"], "PARLEY_LIMIT_SEND"),
            (["PARLEY_RESERVED_NAMES": ","], "PARLEY_RESERVED_NAMES"),
            (["PARLEY_RESERVED_NAMES": "owner,??"], "PARLEY_RESERVED_NAMES"),
            (["PARLEY_RESERVED_NAMES": tooLongName], "PARLEY_RESERVED_NAMES"),
            (["PARLEY_RESERVED_NAMES": tooManyNames], "PARLEY_RESERVED_NAMES"),
            (["PARLEY_LIMIT_LOGIN_ACCOUNT": "0/10min"], "PARLEY_LIMIT_LOGIN_ACCOUNT"),
            (["PARLEY_LIMIT_READ": "5/2d"], "PARLEY_LIMIT_READ"),
            (["PARLEY_TRUSTED_PROXIES": "10.0.0.0/33"], "PARLEY_TRUSTED_PROXIES"),
            (["PARLEY_CORS_ORIGINS": "https://app.example.org/"], "PARLEY_CORS_ORIGINS"),
            (["DATABASE_URL": "postgres://h/d"], "PARLEY_MASTER_KEY"),
            (["PARLEY_MIGRATE_URL": "postgres://h/d"], "DATABASE_URL"),
            (["PARLEY_LIMITS": "off", "PARLEY_TRUSTED_PROXIES": "127.0.0.1"], "PARLEY_TRUSTED_PROXIES"),
        ]
    )
    func `names the setting that is wrong`(environment: [String: String], name: String) async throws {
        let ended = try await ParleyProcess.run(["serve"], environment: environment)
        #expect(ended.code == 78)
        #expect(ended.output.contains(name))
    }

    @Test(arguments: [["--port", "x"], ["--no-such-flag"], ["--log-level"]])
    func `calls a wrong flag wrong usage`(flags: [String]) async throws {
        let ended = try await ParleyProcess.run(["serve"] + flags)
        #expect(ended.code == 64)
        #expect(ended.output.contains(flags[0]))
    }

    @Test func `has a setting for every rate limit`() async throws {
        let ended = try await ParleyProcess.run(["config", "--limit-send", "5/1min"])
        for policy in RatePolicy.allCases where policy != .send {
            let variable = "PARLEY_LIMIT_" + policy.rawValue.uppercased().replacing("-", with: "_")
            let expected = ["--limit-\(policy.rawValue)", variable, "default", policy.standard.description]
            #expect(line("--limit-\(policy.rawValue)", of: ended) == expected)
        }
        #expect(line("--limit-send", of: ended) == ["--limit-send", "PARLEY_LIMIT_SEND", "flag", "5/1min"])
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    func `lets limits be off on a loopback address`(host: String) async throws {
        let ended = try await ParleyProcess.run(["config"], environment: ["PARLEY_LIMITS": "off", "PARLEY_HOST": host])
        #expect(ended.code == 0)
    }

    @Test(arguments: ["not base64!", "c2hvcnQ=", ""])
    func `refuses a master key of the wrong form without showing it`(key: String) async throws {
        let environment = ["DATABASE_URL": "host=/nowhere", "PARLEY_MASTER_KEY": key]
        let ended = try await ParleyProcess.run(["serve"], environment: environment)
        #expect(ended.code == 78)
        #expect(ended.output.contains("PARLEY_MASTER_KEY"))
        #expect(key.isEmpty || !ended.output.contains(key))
    }

    @Test func `tells an unreachable database from a wrong setting`() async throws {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let environment = ["DATABASE_URL": "host=/nowhere dbname=d", "PARLEY_MASTER_KEY": key]
        #expect(try await ParleyProcess.run(["serve", "--port", "0"], environment: environment).code == 69)
    }

    @Test func `warns of a variable that is misspelt, and says nothing of its value`() async throws {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        var environment = ["DATABASE_URL": "host=/nowhere dbname=d", "PARLEY_MASTER_KEY": key]
        environment["PARLEY_PROT"] = "hunter2"
        environment["PARLEY_WHATEVER_IT_IS"] = "hunter3"
        environment["PARLEY_COMMIT"] = "abc"
        let ended = try await ParleyProcess.run(["serve", "--port", "0"], environment: environment)
        let warnings = ended.output.split(separator: "\n").filter { $0.contains("A variable is no setting") }
        #expect(warnings.count == 2, "\(ended.output)")
        #expect(warnings.first?.contains("nearest=PARLEY_PORT variable=PARLEY_PROT") == true)
        #expect(warnings.last?.contains("variable=PARLEY_WHATEVER_IT_IS") == true)
        #expect(!ended.output.contains("nearest=PARLEY_W") && !ended.output.contains("hunter"))
    }

    private func line(_ flag: String, of ended: ParleyProcess.Ended) -> [String] {
        ended.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .first { $0.first == flag } ?? []
    }
}
