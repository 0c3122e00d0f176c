import Crypto
import Foundation
import Identity
import Logging
import Postgres
import Synchronization
import TestSupport

/// One server's `Identity` on the test's database, with a clock that the test moves.
struct TestIdentity {
    let identity: Identity
    let clock: TestClock
    let profiles: ProfileLog

    static func open(
        masterKey: SymmetricKey = masterKey,
        other: SymmetricKey? = nil,
        clock: TestClock = TestClock(),
        profiles: ProfileLog = ProfileLog(),
        logger: Logger = SecretWatch.logger,
        configure: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> TestIdentity {
        var configuration = IdentityConfiguration()
        configuration.passwordCost = 4
        configuration.passwordQueueLimit = 1000
        configure(&configuration)
        let identity = try await Identity.open(
            configuration,
            pool: TestDatabase.current.pool,
            masterKeys: MasterKeys(masterKey, other: other),
            registerProfile: { try profiles.register($0, $1) },
            logger: logger,
            now: { clock.now }
        )
        return TestIdentity(identity: identity, clock: clock, profiles: profiles)
    }

    static let masterKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

    func register(
        _ email: String = "ada@example.org",
        password: String = "correct horse",
        displayName: String? = "Ada",
        deviceName: String? = nil
    ) async throws -> SignedIn {
        try await identity.register(
            Registration(
                email: email,
                password: Secret(password),
                displayName: displayName,
                deviceName: deviceName
            )
        )
    }

    func login(
        _ email: String = "ada@example.org",
        password: String = "correct horse",
        deviceName: String? = nil
    ) async throws -> SignedIn {
        try await identity.login(Login(email: email, password: Secret(password), deviceName: deviceName))
    }
}

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

/// What the log was told of people.
final class ProfileLog: Sendable {
    struct Entry: Equatable {
        let account: UUID
        let displayName: String?
    }

    struct Unreachable: Error {}

    private let state = Mutex<(entries: [Entry], isReachable: Bool)>(([], true))

    var entries: [Entry] { state.withLock { $0.entries } }

    func setReachable(_ isReachable: Bool) {
        state.withLock { $0.isReachable = isReachable }
    }

    func register(_ account: UUID, _ displayName: String?) throws {
        try state.withLock { state in
            guard state.isReachable else { throw Unreachable() }
            state.entries.append(Entry(account: account, displayName: displayName))
        }
    }
}
