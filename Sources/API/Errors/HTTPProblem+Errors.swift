import Attachments
import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Messaging
import OpenID
import ParleyWire
import Postgres
import ReadModels

extension HTTPProblem {
    /// What a client is told of any error: the one place where the inside's errors get their codes.
    init(_ error: any Error) {
        self =
            switch error {
            case let problem as HTTPProblem: problem
            case let rejection as ConversationRejection: HTTPProblem(rejection)
            case let rejection as UserRejection: HTTPProblem(rejection)
            case let error as CommandError: HTTPProblem(error)
            case let error as IdentityError: HTTPProblem(error)
            case let error as OpenIDError: HTTPProblem(error)
            case let refusal as LinkRefusal: HTTPProblem(refusal)
            case let error as AttachmentError: HTTPProblem(error)
            case let field as InvalidField: .invalid([FieldProblem(field)])
            case let error as PostgresConnectionError: HTTPProblem(error)
            case let error as PostgresError: HTTPProblem(error)
            case let error as any HTTPResponseError: HTTPProblem(status: error.status)
            case is POSIXError: HTTPProblem(.unavailable, "The disk fails.")
            case is BadCursor: .badCursor
            case is UnknownMessage: .notFound
            // The request was given up: by the client, or by a server that is stopping.
            case is EpochEnded: HTTPProblem(.unavailable, "The log has just changed over; try again.")
            case is CancellationError: HTTPProblem(.unavailable, "The request was cancelled.")
            default: .internalError
            }
    }

    private static let badCursor = HTTPProblem.invalid(
        parameter: "cursor",
        .invalid,
        "A cursor of this list is expected."
    )

    private static let internalError = HTTPProblem(
        .internal,
        "The server failed to answer; its log has more under the request id."
    )

    /// - Parameter parameter: by which the path names the group.
    static func groupFull(_ limit: Int, at parameter: String) -> HTTPProblem {
        .invalid(parameter: parameter, .tooMany, "A group has at most \(limit) members.")
    }

    init(_ rejection: ConversationRejection) {
        switch rejection {
        case .notFound, .personNotAMember, .messageNotFound:
            self = .notFound
        case .messageIsDeleted:
            self.init(.forbidden, "The message is deleted.")
        case .tooSoon(let seconds):
            let message = "Members of this group wait between two messages: \(seconds) seconds more."
            self.init(.rateLimited, message, headers: [.retryAfter: "\(seconds)"])
        case .notTheAuthor:
            self.init(.forbidden, "Only who has sent the message may do this.")
        case .editedTooLate:
            self.init(.forbidden, "The time in which this message could be edited is over.")
        case .tooManyReactionKinds:
            let message = "A message has at most \(React.maxKinds) different reactions."
            self = .invalid(parameter: "emoji", .tooMany, message)
        case .staleFacts:
            self.init(.overloaded, "The conversation changes too fast; nothing happened.")
        case .noLongerAMember:
            self.init(.forbidden, "You are no longer a member of this conversation.")
        case .roleTooLow:
            self.init(.forbidden, "Your role in this conversation does not allow it.")
        case .directIsFixed:
            self.init(.forbidden, "A direct conversation keeps its two people and has no settings.")
        case .otherIsErased, .otherIsOutOfReach:
            // That somebody is blocked is told in no other words than that nobody is there.
            self.init(.forbidden, "The other person cannot be written to.")
        case .otherIsBlocked:
            self.init(.forbidden, "You have blocked the other person.")
        case .notOpen:
            self.init(.forbidden, "Joining this group takes an invitation.")
        case .messageNotVisible:
            self = .invalid(pointer: "/replyToId", .unknown, "The conversation has no such message.")
        case .withOneself:
            let message = "A direct conversation takes another person."
            self = .invalid(parameter: "userId", .notAllowed, message)
        case .tooFewParticipants:
            let message = "A group starts with at least two people beside you."
            self = .invalid(pointer: "/participantIds", .tooFew, message)
        case .tooManyParticipants(let limit):
            self = .invalid(pointer: "/participantIds", .tooMany, "A group has at most \(limit) members.")
        case .groupFull(let limit): self = .groupFull(limit, at: "conversationId")
        case .notToBeUnread:
            let message =
                "A message is expected that came since your joining, among the newest "
                + "\(ConversationDecider.maxMarkedUnread)."
            self = .invalid(pointer: "/fromSeq", .outOfRange, message)
        case .tooManyInvites(let limit):
            self = .invalid(parameter: "conversationId", .tooMany, "A group has at most \(limit) open invites.")
        case .tooManyPins(let limit):
            self = .invalid(parameter: "messageId", .tooMany, "A conversation has at most \(limit) pinned messages.")
        case .notInvitedBack:
            self.init(.forbidden, "You were removed from this group: one of its members has to add you.")
        case .lastOwner:
            self.init(.forbidden, "A group keeps an owner: make somebody else one first.")
        case .idTaken:
            self.init(.idConflict, "The conversation's id is in use.")
        }
    }

    private init(_ rejection: UserRejection) {
        switch rejection {
        case .notFound: self = .notFound
        case .erased: self = .unauthenticated("The account no longer exists.")
        }
    }

    private init(_ error: CommandError) {
        switch error {
        case .idConflict:
            self.init(.idConflict, "The id or key was used before, with other content or by someone else.")
        case .overloaded:
            self.init(.overloaded, "Too many commands wait; nothing happened.")
        case .unavailable:
            self.init(.unavailable, "Whether this took effect is unknown; repeat it under the same id.")
        case .loading:
            self.init(.unavailable, "The history is being loaded; nothing happened, repeat it in a moment.")
        case .unknownEvent(let event):
            self.init(
                .unavailable,
                "A newer version of the server has written to this history (\(event.type), version "
                    + "\(event.schemaVersion)): this one cannot write to it until it is upgraded."
            )
        case .formatNotOpen:
            self.init(
                .unavailable,
                "An older version of the server still runs, and cannot read what this would write: nothing happened. "
                    + "Try again when it has ended."
            )
        case .unknownActor:
            self = .unauthenticated("The account no longer exists.")
        }
    }

    private init(_ error: AttachmentError) {
        switch error {
        case .notFound: self = .notFound
        case .idTaken: self.init(.idConflict, "The id is that of other bytes, or of somebody else's file.")
        case .inUse: self.init(.forbidden, "The file is in use: take back the message or the picture.")
        case .tooLarge(let limit): self.init(.payloadTooLarge, "A file of this kind may have at most \(limit) bytes.")
        case .empty: self = .invalid(parameter: "body", .required, "A file has at least one byte.")
        case .wrongLength: self = .malformed("The file has another length than was announced.")
        case .offset(let received, let isComplete):
            self.init(
                .idConflict,
                isComplete ? "The upload is complete." : "The upload goes on at \(received).",
                headers: [.uploadOffset: "\(received)", .uploadComplete: isComplete ? "?1" : "?0"]
            )
        case .overtaken:
            self.init(.unavailable, "Another request brings this file: HEAD tells how far it is.", isClients: true)
        case .unsupportedFormat:
            self.init(
                .unsupportedMediaType,
                "The bytes are of no format that is taken as this kind: images are JPEG, PNG or WebP."
            )
        case .unreadableImage:
            self = .invalid(parameter: "body", .invalid, "The image cannot be read, or has too many pixels.")
        case .harmful:
            self = .invalid(parameter: "body", .notAllowed, "The virus scanner has found something in the file.")
        case .quota: self.init(.payloadTooLarge, "You have as many bytes of files as you may.")
        case .tooManyUploads:
            self = .invalid(parameter: "attachmentId", .tooMany, "You have too many uploads that are not complete.")
        case .full: self.init(.insufficientStorage, "The server has no room for more files.")
        case .overloaded: self.init(.overloaded, "Too many images wait.")
        case .unavailable: self.init(.unavailable, "What keeps files, or looks at them, does not answer.")
        case .lost: self.init(.unavailable, "The file's bytes cannot be read: the server's log says why.")
        case .unknownOwner: self = .unauthenticated("The account no longer exists.")
        }
    }

    private init(_ error: IdentityError) {
        switch error {
        case .emailTaken:
            self.init(.emailTaken, "Another account has this email address.")
        case .invalidCredentials:
            self.init(.invalidCredentials, "The email address or the password is wrong.")
        case .deactivated:
            self.init(.forbidden, "This account is deactivated.")
        case .unauthenticated:
            self = .unauthenticated("The token is not valid, or its session has ended.")
        case .tokenExpired:
            self.init(.tokenExpired, "Refresh the access token.")
        case .overloaded:
            self.init(.overloaded, "Too many people sign in at this moment.")
        case .badCursor:
            self = .badCursor
        case .invalid(let fields):
            self = .invalid(fields.map { FieldProblem($0) })
        }
    }

    private init(_ error: PostgresConnectionError) {
        switch error {
        case .poolExhausted, .queueFull:
            self.init(.overloaded, "Too many requests wait for the database.")
        case .connectFailed, .connectionLost, .closed:
            self = .databaseDown
        }
    }

    private static let databaseDown = HTTPProblem(.unavailable, "The database cannot be reached.")

    private init(_ error: PostgresError) {
        // A statement that took too long, conflicts, resources, limits, locks: the database is there, and busy.
        let isBusy = ["40", "53", "54", "55"].contains { error.sqlState.isClass($0) }
        if isBusy || error.sqlState == .queryCanceled {
            self.init(.overloaded, "The database took too long, or has too much to do.")
        } else {
            // Connection, an operator's intervention, the machine.
            let isDown = ["08", "57", "58"].contains { error.sqlState.isClass($0) }
            self = isDown ? .databaseDown : .internalError
        }
    }

    /// What the framework refuses by itself.
    private init(status: HTTPResponse.Status) {
        switch status {
        case .notFound: self = .notFound
        case .contentTooLarge: self.init(.payloadTooLarge, "The body is too large.")
        case .unsupportedMediaType: self.init(.unsupportedMediaType, "Bodies are application/json in UTF-8.")
        case _ where status.kind == .clientError: self = .malformed("The request cannot be read.")
        default: self = .internalError
        }
    }
}

extension FieldProblem {
    init(_ field: InvalidField) {
        let code: FieldProblemCode =
            switch field.code {
            case .tooShort: .tooShort
            case .tooLong: .tooLong
            case .invalid: .invalid
            case .reserved: .reserved
            }
        self.init(pointer: "/\(field.field)", code: code, message: field.message)
    }
}
