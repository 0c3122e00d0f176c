/// The limits of this server.
public struct ServerLimits: Codable, Hashable, Sendable {
    public var maxTextScalars: Int
    public var maxBodyBytes: Int
    public var minDisplayNameLength: Int
    public var maxDisplayNameLength: Int
    public var minPasswordLength: Int
    public var maxPasswordLength: Int
    public var maxGroupNameLength: Int
    public var maxGroupMembers: Int
    public var maxListedParticipants: Int
    public var defaultPageSize: Int
    public var maxPageSize: Int
    public var maxReceiptsPerRequest: Int
    public var maxPinsPerConversation: Int
    public var maxStreamsPerSession: Int
    public var maxScheduledMessages: Int
    /// How long after sending a message may be edited.
    public var editWindowSeconds: Int
    public var maxAttachmentsPerMessage: Int
    public var maxImageBytes: Int
    public var maxImagePixels: Int
    /// Of files and audio.
    public var maxFileBytes: Int
    /// Of all files of one person.
    public var maxAttachmentBytesPerPerson: Int64

    public init(
        maxTextScalars: Int = 10_000,
        maxBodyBytes: Int = 1_048_576,
        minDisplayNameLength: Int = 2,
        maxDisplayNameLength: Int = 30,
        minPasswordLength: Int = 8,
        maxPasswordLength: Int = 256,
        maxGroupNameLength: Int = 100,
        maxGroupMembers: Int = 10_000,
        maxListedParticipants: Int = 50,
        defaultPageSize: Int = 50,
        maxPageSize: Int = 200,
        maxReceiptsPerRequest: Int = 200,
        maxPinsPerConversation: Int = 50,
        maxStreamsPerSession: Int = 8,
        maxScheduledMessages: Int = 100,
        editWindowSeconds: Int = 86_400,
        maxAttachmentsPerMessage: Int = 10,
        maxImageBytes: Int = 10_485_760,
        maxImagePixels: Int = 50_000_000,
        maxFileBytes: Int = 26_214_400,
        maxAttachmentBytesPerPerson: Int64 = 1_073_741_824
    ) {
        self.maxTextScalars = maxTextScalars
        self.maxBodyBytes = maxBodyBytes
        self.minDisplayNameLength = minDisplayNameLength
        self.maxDisplayNameLength = maxDisplayNameLength
        self.minPasswordLength = minPasswordLength
        self.maxPasswordLength = maxPasswordLength
        self.maxGroupNameLength = maxGroupNameLength
        self.maxGroupMembers = maxGroupMembers
        self.maxListedParticipants = maxListedParticipants
        self.defaultPageSize = defaultPageSize
        self.maxPageSize = maxPageSize
        self.maxReceiptsPerRequest = maxReceiptsPerRequest
        self.maxPinsPerConversation = maxPinsPerConversation
        self.maxStreamsPerSession = maxStreamsPerSession
        self.maxScheduledMessages = maxScheduledMessages
        self.editWindowSeconds = editWindowSeconds
        self.maxAttachmentsPerMessage = maxAttachmentsPerMessage
        self.maxImageBytes = maxImageBytes
        self.maxImagePixels = maxImagePixels
        self.maxFileBytes = maxFileBytes
        self.maxAttachmentBytesPerPerson = maxAttachmentBytesPerPerson
    }
}
