import ParleyWire

extension GroupReplay {
    /// The picture that a message brings: the same in each run, so that it is uploaded once.
    func pictureID(_ plan: SendPlan) -> WireID? {
        plan.picture.map { _ in derivation.id("picture/\(plan.id)", at: plan.clientTimestamp) }
    }

    /// Brings the picture of a message that is about to be sent.
    func upload(_ plan: SendPlan) async throws {
        guard let number = plan.picture, let id = pictureID(plan) else { return }
        let picture = stage.pictures.all[number]
        let request = APIRequest.put("/v1/attachments/\(id)?kind=image", picture.bytes, type: picture.type)
        let answer = try await stage.account(plan.sender).send(request)
        stage.report.compare(.uploads, answer.isSuccess, "\(group.name) \(plan.id): \(answer.summary)")
    }
}
