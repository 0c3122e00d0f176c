import ParleyWire

extension GroupCheck {
    private static let mostPictures = 12

    /// Whoever sees a message has its picture, and nobody that of one that is deleted.
    func checkPictures() async throws {
        let owner = stage.account(group.plan.owner)
        let withPictures = spread(expected.messages.filter { $0.picture != nil }, Self.mostPictures)
        _ = try await concurrentMap(withPictures, width: width) { message in
            guard let id = message.picture else { return }
            let answer = try await owner.send(.get("/v1/attachments/\(id)/content"))
            let thumbnail = try await owner.send(.get("/v1/attachments/\(id)/content?size=thumbnail"))
            let implied = message.isDeleted ? 404 : 200
            stage.report.compare(
                .pictures,
                [answer, thumbnail].allSatisfy { $0.status == implied && !$0.body.isEmpty },
                "\(name) seq \(message.seq): \(answer.summary), \(thumbnail.summary), implied \(implied)"
            )
        }
    }
}
