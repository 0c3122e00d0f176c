import Logging
import TestSupport
import Testing

@Suite struct SecretWatchTests {
    @Test(arguments: [
        "password: correct horse", "for ada@example.org", "Bearer eyJhbGciOiJFUzI1NiJ9.e30.x", "planted-text",
    ])
    func `a secret in a line is an issue, wherever it stands`(secret: String) {
        withKnownIssue { SecretWatch.logger.info("\(secret)") }
        withKnownIssue { SecretWatch.logger.trace("Sent", metadata: ["body": "\(secret)"]) }
        withKnownIssue { SecretWatch.logger.error("Failed", error: Failure(text: secret)) }
        var logger = SecretWatch.logger
        logger[metadataKey: "about"] = "\(secret)"
        withKnownIssue { logger.info("Sent") }
    }

    @Test func `a secret made during the run is known too`() {
        SecretWatch.add("0123456789abcdef-0123")
        withKnownIssue { SecretWatch.inspect("token=0123456789abcdef-0123", "a test") }
        SecretWatch.logger.info("Nothing to see here")
    }

    private struct Failure: Error {
        let text: String
    }
}
