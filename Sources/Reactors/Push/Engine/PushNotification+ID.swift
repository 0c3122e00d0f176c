import Crypto
import Foundation

extension PushNotification {
    /// The same for each try, whoever makes it: of the newest message, the device and what is told of it.
    static func id(of job: PushJob, _ kind: PushDecision.Kind) -> UUID {
        var hash = SHA256()
        for id in [job.message, job.person, job.device] {
            withUnsafeBytes(of: id.uuid) { hash.update(bufferPointer: $0) }
        }
        hash.update(data: Data(kind.rawValue.utf8))
        return UUID(hash.finalize())
    }
}
