import HTTPTypes

extension RightsTable {
    static func row(
        _ method: HTTPRequest.Method,
        _ path: String,
        target: RightsScene.Target = .bystander,
        isNewMessage: Bool = false,
        kind: Row.Kind = .group,
        body: String? = nil,
        _ answers: [Int]
    ) -> Row {
        Row(
            method: method,
            path: path,
            target: target,
            isNewMessage: isNewMessage,
            kind: kind,
            body: body,
            answers: Dictionary(zip(RightsActor.allCases, answers)) { first, _ in first }
        )
    }

    /// In a direct conversation, where there are but members.
    static func pair(
        _ method: HTTPRequest.Method,
        _ path: String,
        target: RightsScene.Target = .bystander,
        isNewMessage: Bool = false,
        body: String? = nil,
        _ answers: [Int]
    ) -> Row {
        let actors: [RightsActor] = [.member, .stranger, .deactivated, .anonymous]
        return Row(
            method: method,
            path: path,
            target: target,
            isNewMessage: isNewMessage,
            kind: .direct,
            body: body,
            answers: Dictionary(zip(actors, answers)) { first, _ in first }
        )
    }

    static func signedIn(
        _ method: HTTPRequest.Method,
        _ path: String,
        target: RightsScene.Target = .bystander,
        body: String? = nil,
        _ status: Int
    ) -> Row {
        let answers: [RightsActor: Int] = [.stranger: status, .deactivated: 401, .anonymous: 401]
        return Row(method: method, path: path, target: target, kind: .none, body: body, answers: answers)
    }

    static func anyone(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: String? = nil,
        _ status: Int
    ) -> Row {
        let answers: [RightsActor: Int] = [.stranger: status, .deactivated: status, .anonymous: status]
        return Row(method: method, path: path, kind: .none, body: body, answers: answers)
    }
}
