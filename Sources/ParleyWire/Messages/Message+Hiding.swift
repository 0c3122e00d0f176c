package import Foundation

extension Message {
    /// Whether the caller has deleted it for oneself.
    package var isHidden: Bool { deletedForMe == true }

    /// As it looks to one who has deleted it for oneself: as what is deleted for everyone, which it may be as well.
    package mutating func hide(at time: Date, revision: Int64) {
        guard deletedAt == nil else { return }
        forgetContent()
        replyTo = nil
        forwardedFrom = nil
        mentions = []
        attachments = []
        reactions = []
        editedAt = nil
        pinnedAt = nil
        pinnedBy = nil
        expiresAt = nil
        deletedAt = time
        deletedForMe = true
        self.revision = revision
    }
}
