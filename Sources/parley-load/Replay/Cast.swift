import ParleyWire

/// The people of a plan, signed in.
struct Cast: Sendable {
    let accounts: [Account]
    let userIDs: [WireID]

    func account(_ person: PersonNumber) -> Account { accounts[person] }

    func userID(_ person: PersonNumber) -> WireID { userIDs[person] }

    /// Registers everyone, or signs them in where the journal knows them.
    static func signIn(
        _ plan: Plan,
        client: APIClient,
        journal: Journal,
        report: CheckReport,
        progress: Progress
    ) async throws -> Cast {
        let accounts = plan.people.map { Account(client: client, credentials: $0.credentials) }
        let userIDs = try await concurrentMap(Array(plan.people.indices), width: 8) { number in
            let name = plan.people[number].name
            let known = journal.userID(of: name)
            _ = try await accounts[number].register(knownToExist: known != nil)
            guard let userID = await accounts[number].userID else {
                throw APIFailure.unexpected(request: "sign in", answer: "no session")
            }
            if known == nil { try journal.record(.registered(person: name, userID: userID)) }
            report.compare(.people, known == nil || known == userID, "\(name): was \(known.text), is \(userID)")
            progress.advance()
            return userID
        }
        return Cast(accounts: accounts, userIDs: userIDs)
    }
}

/// Runs a task for each element, at most `width` at once, and keeps the order.
func concurrentMap<Element: Sendable, Value: Sendable>(
    _ elements: [Element],
    width: Int,
    _ body: @escaping @Sendable (Element) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        var values = [Value?](repeating: nil, count: elements.count)
        var next = 0
        while next < min(width, elements.count) {
            let index = next
            group.addTask { (index, try await body(elements[index])) }
            next += 1
        }
        while let (index, value) = try await group.next() {
            values[index] = value
            guard next < elements.count else { continue }
            let index = next
            group.addTask { (index, try await body(elements[index])) }
            next += 1
        }
        return values.compactMap(\.self)
    }
}

extension Optional where Wrapped: CustomStringConvertible {
    /// For people: the value, or a dash.
    var text: String { map(\.description) ?? "–" }
}
