package import Foundation

/// Why a conversation refuses a command.
package enum ConversationRejection: Error, Equatable, Sendable {
    /// There is no such conversation, or none that the actor may know of.
    case notFound
    /// The actor was a member once.
    case noLongerAMember
    /// The actor's role does not allow it.
    case roleTooLow
    /// The target of the command is not a member.
    case personNotAMember(UUID)
    /// A direct conversation has two people for ever and no settings.
    case directIsFixed
    /// The other person of a direct conversation is erased: nobody is there to talk to.
    case otherIsErased
    case withOneself
    /// The actor has blocked the other person of a direct conversation.
    case otherIsBlocked
    /// The other person of a direct conversation has blocked the actor, who is not told so.
    case otherIsOutOfReach
    /// A group starts with at least three people.
    case tooFewParticipants
    /// A group starts with no more people than it may have.
    case tooManyParticipants(limit: Int)
    case groupFull(limit: Int)
    /// The conversation's id is in use by others.
    case idTaken
    /// The message that is answered is from before the sender's joining, and not for the sender to see.
    case messageNotVisible
    /// There is no such message, or none that the actor may know of.
    case messageNotFound
    case messageIsDeleted
    /// Members wait between two messages: so many seconds more.
    case tooSoon(seconds: Int)
    /// Only who has sent a message may change it.
    case notTheAuthor
    /// The time in which a message may be edited is over.
    case editedTooLate
    /// A message has as many different reactions as it may.
    case tooManyReactionKinds
    /// Too much has happened since the message was looked up: look again.
    case staleFacts
    /// Joining takes an invitation.
    case notOpen
    /// Unread can become what came since the joining, and not too long ago.
    case notToBeUnread
    /// A group keeps an owner.
    case lastOwner
    case tooManyInvites(limit: Int)
    case tooManyPins(limit: Int)
    /// Who was removed comes back by being added, not by an invite.
    case notInvitedBack
}
