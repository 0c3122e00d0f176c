/// `PUT /v1/conversations/{id}/participants/{userId}`.
public struct PutParticipantRequest: Codable, Hashable, Sendable {
    /// Absent: add as `member`, or leave the role.
    public var role: ParticipantRole?

    public init(role: ParticipantRole? = nil) {
        self.role = role
    }
}
