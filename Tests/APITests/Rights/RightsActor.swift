/// Who asks, in the order of the columns of ``RightsTable``.
enum RightsActor: String, CaseIterable, Hashable {
    case owner, admin, member, formerMember, stranger
    /// Still a member, whose account is closed for now.
    case deactivated
    /// Without an access token.
    case anonymous
}
