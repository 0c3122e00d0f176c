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
        var bytes = Array(hash.finalize().prefix(16))
        // A UUID of version 8 (RFC 9562): what its bits mean is ours.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
