import ParleyWire

/// What every part of a running replay shares.
struct Stage: Sendable {
    let plan: Plan
    let pictures: Pictures
    let client: APIClient
    let cast: Cast
    let journal: Journal
    let report: CheckReport
    let progress: Progress
    let listeners: [PersonNumber: Listener]
    let expectsFaults: Bool

    func account(_ person: PersonNumber) -> Account { cast.account(person) }
    func userID(_ person: PersonNumber) -> WireID { cast.userID(person) }
    func name(_ person: PersonNumber) -> String { plan.people[person].name }
}
