import Foundation
import Reactors
import Synchronization

/// A push service that a test writes the answers of.
final class ScriptedProvider: PushProvider {
    typealias Answer = @Sendable (PushNotification, PushAddress) async -> PushOutcome

    struct Sent: Sendable {
        let notification: PushNotification
        let address: PushAddress
    }

    let name: String
    private let answer: Mutex<Answer>
    private let state = Mutex<[Sent]>([])

    init(_ platform: PushPlatform, answer: @escaping Answer = { _, _ in .accepted }) {
        name = platform.rawValue
        self.answer = Mutex(answer)
    }

    func send(_ notification: PushNotification, to address: PushAddress) async -> PushOutcome {
        state.withLock { $0.append(Sent(notification: notification, address: address)) }
        Changes.note()
        let answer = answer.withLock { $0 }
        return await answer(notification, address)
    }

    func answers(_ answer: @escaping Answer) {
        self.answer.withLock { $0 = answer }
    }

    /// Every try, in order.
    var sent: [Sent] { state.withLock { $0 } }

    var alerts: [PushNotification] { sent.map(\.notification).filter { $0.kind == .alert } }
    var bodies: [String] { alerts.map(\.body) }
}
