import Logging
import Synchronization
import TestSupport
import Testing

@Suite struct SecretWatchTests {
    @Test(arguments: [
        "password: correct horse", "for ada@example.org", "Bearer eyJhbGciOiJFUzI1NiJ9.e30.x", "planted-text",
    ])
    func `a secret is found in a line, wherever it stands`(secret: String) {
        let lines = Mutex<[String]>([])
        var logger = SecretWatch.logger { line, _ in lines.withLock { $0.append(line) } }
        logger.info("\(secret)")
        logger.trace("Sent", metadata: ["body": "\(secret)"])
        logger.error("Failed", error: Failure(text: secret))
        logger[metadataKey: "about"] = "\(secret)"
        logger.info("Sent")
        let found = lines.withLock { $0.map { SecretWatch.secret(in: $0) } }
        #expect(found.count == 4)
        #expect(found.allSatisfy { $0 != nil })
    }

    @Test func `a secret made during the run is known too`() {
        #expect(SecretWatch.secret(in: "token=0123456789abcdef-0123") == nil)
        SecretWatch.add("0123456789abcdef-0123")
        #expect(SecretWatch.secret(in: "token=0123456789abcdef-0123") == "0123456789abcdef-0123")
        #expect(SecretWatch.secret(in: "Nothing to see here") == nil)
    }

    private struct Failure: Error {
        let text: String
    }
}
