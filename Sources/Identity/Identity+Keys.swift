import Synchronization

extension Identity {
    /// Learns of keys that were added or dropped. Tokens that were verified by a dropped key are verified anew, and so
    /// refused.
    func reloadKeys() async throws {
        guard let keys = try await signingKeys.load(at: now()) else { throw IdentityStartError.noSigningKey }
        tokens.withLock { tokens in
            guard tokens.keyIDs != keys.ids else { return }
            tokens = AccessTokens(keys: keys, configuration)
        }
    }
}
