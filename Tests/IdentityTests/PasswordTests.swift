import Foundation
import Testing

@testable import Identity

@Suite(.timeLimit(.minutes(10))) struct Passwords {
    private static let cheap = ScryptParameters(log2N: 4)

    @Test func `match their hash and no other`() throws {
        let parameters = try #require(Self.cheap)
        let password = try Password(choosing: Secret("correct horse"))
        let stored = try PasswordHash(password, parameters: parameters).phc.exposed
        let hash = try #require(PasswordHash(phc: stored))
        #expect(try hash.matches(password))
        #expect(try !hash.matches(Password(choosing: Secret("correct horsf"))))
        #expect(try !hash.matches(Password(choosing: Secret("Correct horse"))))
    }

    @Test func `are salted: two hashes of one password differ`() throws {
        let parameters = try #require(Self.cheap)
        let password = try Password(choosing: Secret("correct horse"))
        let one = try PasswordHash(password, parameters: parameters)
        let other = try PasswordHash(password, parameters: parameters)
        #expect(one != other)
        #expect(one.salt != other.salt)
    }

    @Test func `are hashed by scrypt as RFC 7914 has it`() throws {
        // §12, the third vector.
        let expected = """
            70 23 bd cb 3a fd 73 48 46 1c 06 cd 81 fd 38 eb fd a8 fb ba 90 4f 8e 3e a9 b5 43 f6 54 5d a1 f2
            d5 43 29 55 61 3f 0f cf 62 d4 97 05 24 2a 9a f9 e6 1e 85 dc 0d 65 1e 40 df cf 01 7b 45 57 58 87
            """
        let bytes = expected.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
        let hash = Data(bytes).base64EncodedString().trimmingCharacters(in: ["="])
        let salt = Data("SodiumChloride".utf8).base64EncodedString().trimmingCharacters(in: ["="])
        let stored = try #require(PasswordHash(phc: "$scrypt$ln=14,r=8,p=1$\(salt)$\(hash)"))
        #expect(try stored.matches(Password(choosing: Secret("pleaseletmein"))))
    }

    @Test func `have 8 to 256 characters, whatever these are`() throws {
        #expect(throws: InvalidField.self) { try Password(choosing: Secret("1234567")) }
        #expect(throws: InvalidField.self) { try Password(choosing: Secret("")) }
        #expect(throws: InvalidField.self) { try Password(choosing: Secret(String(repeating: "x", count: 257))) }
        _ = try Password(choosing: Secret("12345678"))
        _ = try Password(choosing: Secret(String(repeating: "\u{1F511}", count: 256)))
        _ = try Password(choosing: Secret("\0\0\0\0\0\0\0\0"))
    }

    @Test func `are the same however their letters are composed`() throws {
        let parameters = try #require(Self.cheap)
        let hash = try PasswordHash(Password(choosing: Secret("M\u{00FC}nchner Bier")), parameters: parameters)
        #expect(try hash.matches(Password(choosing: Secret("Mu\u{0308}nchner Bier"))))
    }

    @Test(arguments: [
        "", "$", "$$$$", "correct horse", "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHQ", "$scrypt$ln=4,r=8,p=1$$",
        "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHQ$c2hvcnQ", "$argon2id$ln=4,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=63,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=0,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=4,r=-8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=4,r=8,p=99999999999999999999$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$r=8,ln=4,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
    ])
    func `stored in another form open nothing`(phc: String) {
        #expect(PasswordHash(phc: phc) == nil)
    }

    @Test func `checked without an account cost a hash all the same`() async throws {
        var configuration = IdentityConfiguration()
        configuration.passwordCost = 4
        configuration.passwordThreads = 1
        configuration.passwordQueueLimit = 0
        let hasher = try PasswordHasher(configuration)
        let stored = try await hasher.hash(Password(choosing: Secret("correct horse")))
        let busy = await BusyThreads(hasher.threads, count: 1)
        // The one thread is taken, so whoever is refused needed it, and whoever is not did without.
        for password in [Password(claimed: Secret("correct horse")), Password(claimed: Secret("short")), nil] {
            for hash in [stored, Secret("unreadable"), nil] {
                await #expect(throws: IdentityError.overloaded) { try await hasher.check(password, against: hash) }
            }
        }
        await busy.release()
    }

    @Test(arguments: [(15, 15), (14, 15), (6, 15), (16, 15)])
    func `checked against an older hash cost what they cost without an account`(old: Int, new: Int) throws {
        let (old, new) = (try #require(ScryptParameters(log2N: old)), try #require(ScryptParameters(log2N: new)))
        let work = old.rest(upTo: new).reduce(1 << old.log2N) { $0 + 1 << $1.log2N }
        #expect(work == 1 << max(old.log2N, new.log2N))
    }

    @Test func `are wrong where there is no account or no hash`() async throws {
        var configuration = IdentityConfiguration()
        configuration.passwordCost = 4
        let hasher = try PasswordHasher(configuration)
        let password = Password(claimed: Secret("correct horse"))
        for hash in [Secret("unreadable"), nil] {
            guard case .wrong = try await hasher.check(password, against: hash) else {
                Issue.record("a password was right without a hash")
                continue
            }
        }
        // Nor does the decoy's own password open anything.
        guard case .wrong = try await hasher.check(Password(claimed: Secret("the password of nobody")), against: nil)
        else {
            Issue.record("the decoy opened")
            return
        }
    }
}
