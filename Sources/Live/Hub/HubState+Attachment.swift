import EventStore
import Foundation

extension HubState {
    /// A stream that has caught up to a snapshot and wants the rest live.
    struct Attachment {
        let subscription: Subscription
        /// In which the stream has caught up.
        let epoch: Epoch
        /// What was written, or what a fresh stream begins after.
        let snapshot: PositionVector
        /// The person's conversations at the snapshot.
        let conversations: Set<UUID>
        /// Those of them that the person has cleared, and nobody has said anything in since.
        var cleared: Set<UUID> = []
        /// The stream is up to date when the hub has come this far.
        let target: PositionVector
    }
}
