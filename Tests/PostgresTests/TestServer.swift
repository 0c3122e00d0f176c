import Foundation
import Logging
import Postgres

enum TestServer {
    static let url = ProcessInfo.processInfo.environment["PARLEY_TEST_DATABASE_URL"] ?? ""
    static var configuration: PostgresConfiguration { PostgresConfiguration(url: url) }
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
