/// The key that signs, and those whose tokens are still good.
struct SigningKeySet: Sendable {
    let signing: SigningKey
    let retired: [SigningKey]
}
