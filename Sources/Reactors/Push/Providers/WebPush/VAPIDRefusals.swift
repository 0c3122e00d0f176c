import Foundation

/// What browsers' push services said of the server's key to the people who were answered for last.
///
/// Anybody can name a service that believes nobody, and a browser keeps its subscription to a key that was changed. So one
/// address says nothing, nor do those of one person: what many people hear does, and fewer where several services say it.
struct VAPIDRefusals: Sendable {
    static let fewestPeople = 3
    static let fewestPeopleOfOneService = 5
    private static let people = 10

    private struct Answer {
        let person: UUID
        let service: String
        /// nil where the service believes the server.
        let refusal: String?
    }

    /// The last answer for each person; the newest last.
    private var newest: [Answer] = []

    /// - Parameters:
    ///   - service: its host.
    ///   - refusal: why the service does not believe the server; nil where it does.
    mutating func note(_ refusal: String?, for person: UUID, at service: String) {
        newest.removeAll { $0.person == person }
        newest.append(Answer(person: person, service: service, refusal: refusal))
        if newest.count > Self.people { newest.removeFirst() }
    }

    /// Why the key is not believed, where half of the people and enough of them hear that; else nil.
    var reason: String? {
        let refused = newest.filter { $0.refusal != nil }
        let isOneService = Set(refused.map(\.service)).count == 1
        guard refused.count >= (isOneService ? Self.fewestPeopleOfOneService : Self.fewestPeople),
            refused.count * 2 >= newest.count
        else { return nil }
        return refused.last?.refusal
    }
}
