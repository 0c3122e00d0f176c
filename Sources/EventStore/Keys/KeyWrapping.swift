import Crypto
import Foundation

/// How a person's key lies in the database: AES-256-GCM under a key of the master key's, bound to the person.
struct KeyWrapping: Sendable {
    private let key: SymmetricKey
    private let other: SymmetricKey?

    init(_ masterKey: MasterKey) {
        key = masterKey.derived(for: Self.purpose)
        other = masterKey.otherDerived(for: Self.purpose)
    }

    private static let purpose = "parley person keys"

    func wrap(_ secret: [UInt8], of person: UUID) throws -> [UInt8] {
        guard let wrapped = try AES.GCM.seal(secret, using: key, authenticating: identity(person)).combined else {
            throw CryptoKitError.incorrectParameterSize
        }
        return [UInt8](wrapped)
    }

    /// - Returns: also whether it was under the other key.
    func open(_ wrapped: [UInt8], of person: UUID) throws -> (secret: [UInt8], isOther: Bool) {
        let box = try AES.GCM.SealedBox(combined: wrapped)
        do {
            return ([UInt8](try AES.GCM.open(box, using: key, authenticating: identity(person))), false)
        } catch {
            guard let other else { throw error }
            return ([UInt8](try AES.GCM.open(box, using: other, authenticating: identity(person))), true)
        }
    }

    private func identity(_ person: UUID) -> [UInt8] {
        withUnsafeBytes(of: person.uuid) { Array($0) }
    }
}
