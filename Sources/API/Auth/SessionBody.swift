/// What whoever has signed in is answered, and whether the account has begun with it, where that is told.
struct SessionBody<Session: Encodable>: Encodable {
    let session: Session
    let isNewUser: Bool?

    private enum Key: CodingKey {
        case isNewUser
    }

    func encode(to encoder: any Encoder) throws {
        try session.encode(to: encoder)
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(isNewUser, forKey: .isNewUser)
    }
}
