public import Foundation

/// A line of the answer to `POST /v1/me/export`: one thing that the server keeps about a person.
///
/// The order is: account, profile, settings, sessions, conversations, messages by conversation and `seq`, what is scheduled,
/// and `end`, without which the export was cut short.
public enum ExportLine: Codable, Hashable, Sendable {
    case account(Account)
    case profile(Profile)
    case settings(UserSettings)
    case session(ListedSession)
    case conversation(Conversation)
    case message(Message)
    case scheduled(ScheduledMessage)
    case end

    public struct Account: Codable, Hashable, Sendable {
        public var id: WireID
        public var email: String
        public var createdAt: Date

        public init(id: WireID, email: String, createdAt: Date) {
            self.id = id
            self.email = email
            self.createdAt = createdAt
        }
    }

    public struct Profile: Codable, Hashable, Sendable {
        @Nullable public var displayName: String?
        @Nullable public var photoURL: String?

        public init(displayName: String?, photoURL: String?) {
            self.displayName = displayName
            self.photoURL = photoURL
        }
    }

    /// A membership, or one that has ended; who rejoined has several in one conversation.
    public struct Conversation: Codable, Hashable, Sendable {
        public var id: WireID
        public var conversationType: ConversationType
        @Nullable public var groupName: String?
        public var role: ParticipantRole
        public var joinedAt: Date
        @Nullable public var leftAt: Date?
        public var deliveredSeq: Int64
        public var readSeq: Int64

        public init(
            id: WireID,
            conversationType: ConversationType,
            groupName: String?,
            role: ParticipantRole,
            joinedAt: Date,
            leftAt: Date?,
            deliveredSeq: Int64,
            readSeq: Int64
        ) {
            self.id = id
            self.conversationType = conversationType
            self.groupName = groupName
            self.role = role
            self.joinedAt = joinedAt
            self.leftAt = leftAt
            self.deliveredSeq = deliveredSeq
            self.readSeq = readSeq
        }
    }

    /// A message that the person sent.
    public struct Message: Codable, Hashable, Sendable {
        public var id: WireID
        public var conversationId: WireID
        public var seq: Int64
        @Nullable public var text: String?
        public var timestamp: Date
        @Nullable public var replyToId: WireID?
        /// With URLs that hold for an hour; left out where it has none.
        public var attachments: [Attachment]?

        public init(
            id: WireID,
            conversationId: WireID,
            seq: Int64,
            text: String?,
            timestamp: Date,
            replyToId: WireID?,
            attachments: [Attachment]? = nil
        ) {
            self.attachments = attachments
            self.id = id
            self.conversationId = conversationId
            self.seq = seq
            self.text = text
            self.timestamp = timestamp
            self.replyToId = replyToId
        }
    }

    // MARK: Coding

    private enum CodingKeys: String, CodingKey { case type }

    private enum Kind: String, Codable {
        case account, profile, settings, session, conversation, message, scheduled, end
    }

    public init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: CodingKeys.self).decode(Kind.self, forKey: .type) {
        case .account: self = .account(try Account(from: decoder))
        case .profile: self = .profile(try Profile(from: decoder))
        case .settings: self = .settings(try UserSettings(from: decoder))
        case .session: self = .session(try ListedSession(from: decoder))
        case .conversation: self = .conversation(try Conversation(from: decoder))
        case .message: self = .message(try Message(from: decoder))
        case .scheduled: self = .scheduled(try ScheduledMessage(from: decoder))
        case .end: self = .end
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .account(let line): try write(.account, line)
        case .profile(let line): try write(.profile, line)
        case .settings(let line): try write(.settings, line)
        case .session(let line): try write(.session, line)
        case .conversation(let line): try write(.conversation, line)
        case .message(let line): try write(.message, line)
        case .scheduled(let line): try write(.scheduled, line)
        case .end: try container.encode(Kind.end, forKey: .type)
        }
        func write(_ kind: Kind, _ line: some Encodable) throws {
            try container.encode(kind, forKey: .type)
            try line.encode(to: encoder)
        }
    }
}
