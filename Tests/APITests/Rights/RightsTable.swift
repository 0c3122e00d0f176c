import Foundation
import HTTPTypes

/// What everybody is answered to everything: one row for each route, and for what a route does in different cases.
///
/// Written down by hand and compared with the server cell by cell: it is the policy, not a copy of the code.
struct RightsTable {
    struct Row: Hashable {
        enum Kind: Hashable {
            case group, openGroup, direct
            /// The route is about no conversation.
            case none
        }

        let method: HTTPRequest.Method
        /// The path as the router has it, the parts in braces filled by ``RightsScene``.
        let path: String
        var target = RightsScene.Target.bystander
        var isNewMessage = false
        var kind = Kind.group
        /// JSON, in which `{userId}` stands for the target.
        var body: String?
        /// The statuses by actor; whoever has none is not asked.
        let answers: [RightsActor: Int]

        var route: String {
            let withoutQuery = path.prefix { $0 != "?" }.replacingOccurrences(
                of: "{othersSessionId}",
                with: "{sessionId}"
            )
            return "\(method.rawValue) \(withoutQuery)"
        }
    }

    static let rows: [Row] = conversations + members + invites + messages + direct + own + open

    // MARK: Conversations

    private static let group = "/v1/conversations/{conversationId}"

    private static let conversations = [
        row(.get, group, [200, 200, 200, 200, 404, 401, 401]),
        row(.patch, group, body: #"{"groupName": "Other"}"#, [200, 200, 403, 403, 404, 401, 401]),
        row(.patch, group, body: #"{"permissions": {"send": "admins"}}"#, [200, 200, 403, 403, 404, 401, 401]),
        row(.patch, group, body: #"{"retentionSeconds": 3600}"#, [200, 200, 403, 403, 404, 401, 401]),
        row(.patch, group, body: #"{"slowModeSeconds": 60}"#, [200, 200, 403, 403, 404, 401, 401]),
        // The id is another's: no one is told whose.
        row(
            .put,
            group,
            body: #"{"groupName": "Mine", "participantIds": ["{userId}", "{outsiderId}"]}"#,
            [409, 409, 409, 409, 409, 401, 401]
        ),
        row(.get, "/v1/conversations", [200, 200, 200, 200, 200, 401, 401]),
    ]

    private static let participant = "\(group)/participants/{userId}"

    private static let members = [
        row(.get, "\(group)/participants", [200, 200, 200, 200, 404, 401, 401]),
        row(.put, participant, target: .outsider, [201, 201, 403, 403, 404, 401, 401]),
        row(.put, participant, target: .outsider, body: #"{"role": "owner"}"#, [201, 403, 403, 403, 404, 401, 401]),
        row(.put, participant, target: .nobody, [404, 404, 403, 403, 404, 401, 401]),
        row(.put, participant, body: #"{"role": "admin"}"#, [200, 200, 403, 403, 404, 401, 401]),
        row(.put, participant, body: #"{"role": "owner"}"#, [200, 403, 403, 403, 404, 401, 401]),
        row(
            .put,
            participant,
            target: .secondOwner,
            body: #"{"role": "member"}"#,
            [200, 403, 403, 403, 404, 401, 401]
        ),
        row(.put, participant, target: .caller, body: #"{"role": "owner"}"#, [200, 403, 403, 403, 404, 401, 401]),
        row(.delete, participant, [204, 204, 403, 403, 404, 401, 401]),
        row(.delete, participant, target: .secondOwner, [204, 403, 403, 403, 404, 401, 401]),
        row(.delete, participant, target: .outsider, [404, 404, 403, 403, 404, 401, 401]),
        row(.delete, participant, target: .caller, [204, 204, 204, 403, 404, 401, 401]),
        row(.post, "\(group)/leave", [200, 200, 200, 403, 404, 401, 401]),
        row(.post, "\(group)/join", [200, 200, 200, 403, 404, 401, 401]),
        row(.post, "\(group)/join", kind: .openGroup, [200, 200, 200, 200, 200, 401, 401]),
        // An open group shows a stranger nothing but its door.
        row(.get, group, kind: .openGroup, [200, 200, 200, 200, 404, 401, 401]),
        row(.get, "\(group)/messages", kind: .openGroup, [200, 200, 200, 200, 404, 401, 401]),
    ]

    private static let invites = [
        row(.post, "\(group)/invites", body: "{}", [201, 201, 403, 403, 404, 401, 401]),
        row(.get, "\(group)/invites", [200, 200, 403, 403, 404, 401, 401]),
        row(.delete, "\(group)/invites/{code}", [204, 204, 403, 403, 404, 401, 401]),
        row(.get, "/v1/invites/{code}", [200, 200, 200, 200, 200, 401, 401]),
        row(.post, "/v1/invites/{code}/join", [200, 200, 200, 403, 200, 401, 401]),
        // In an open group nobody needs one.
        row(.post, "/v1/invites/{code}/join", kind: .openGroup, [200, 200, 200, 200, 200, 401, 401]),
    ]

    // MARK: Messages

    private static let message = "\(group)/messages/{messageId}"

    private static let report =
        #"{"conversationId": "{conversationId}", "messageId": "{messageId}", "reason": "spam"}"#

    private static let toAll = #"{"text": "Hi", "mentions": ["@all"]}"#

    private static let scheduled = "/v1/scheduled/{messageId}"
    private static let schedule = #"{"conversationId": "{conversationId}", "sendAt": "{tomorrow}", "text": "Hi"}"#

    private static let scheduleToAll =
        #"{"conversationId": "{conversationId}", "sendAt": "{tomorrow}", "text": "Hi", "mentions": ["@all"]}"#

    private static let messages = [
        row(.patch, "\(group)/me", body: #"{"archived": true}"#, [200, 200, 200, 403, 404, 401, 401]),
        row(.patch, "\(group)/me", body: #"{"draft": "Dear"}"#, [200, 200, 200, 403, 404, 401, 401]),
        row(.delete, "\(group)/me", [204, 204, 204, 403, 404, 401, 401]),
        row(.post, "\(group)/unread", body: #"{"fromSeq": 1}"#, [200, 200, 200, 403, 404, 401, 401]),
        row(.post, "\(group)/typing", body: #"{"typing": true}"#, [202, 202, 202, 403, 404, 401, 401]),
        row(.put, message, isNewMessage: true, body: #"{"text": "Hi"}"#, [201, 201, 201, 403, 404, 401, 401]),
        row(.put, message, isNewMessage: true, body: toAll, [201, 201, 403, 403, 404, 401, 401]),
        row(.post, "\(group)/messages", body: #"{"messages": [\#(toAll)]}"#, [201, 201, 403, 403, 404, 401, 401]),
        // Under an id that is taken: a stranger is not told so.
        row(.put, message, body: #"{"text": "Other"}"#, [409, 409, 409, 403, 404, 401, 401]),
        row(.post, "\(group)/messages", body: #"{"text": "Hi"}"#, [201, 201, 201, 403, 404, 401, 401]),
        row(
            .post,
            "\(group)/messages",
            body: #"{"messages": [{"text": "Hi"}, {"text": "Ho"}]}"#,
            [201, 201, 201, 403, 404, 401, 401]
        ),
        row(.get, "\(group)/messages", [200, 200, 200, 200, 404, 401, 401]),
        row(.get, message, [200, 200, 200, 200, 404, 401, 401]),
        row(.get, "\(message)/receipts", [200, 200, 200, 200, 404, 401, 401]),
        row(.patch, message, body: #"{"text": "Other"}"#, [200, 403, 403, 403, 404, 401, 401]),
        row(.delete, message, [204, 204, 403, 403, 404, 401, 401]),
        row(.delete, "\(message)?for=me", [204, 204, 204, 403, 404, 401, 401]),
        row(.get, "\(message)/history", [200, 200, 200, 200, 404, 401, 401]),
        row(.put, "\(message)/reactions/{emoji}", [200, 200, 200, 403, 404, 401, 401]),
        row(.delete, "\(message)/reactions/{emoji}", [204, 204, 204, 403, 404, 401, 401]),
        row(.put, "\(message)/pin", [200, 200, 403, 403, 404, 401, 401]),
        row(.delete, "\(message)/pin", [204, 204, 403, 403, 404, 401, 401]),
        row(.get, "\(group)/pins", [200, 200, 200, 200, 404, 401, 401]),
        row(
            .post,
            "\(message)/forward",
            body: #"{"conversationIds": ["{conversationId}"]}"#,
            [200, 200, 200, 200, 404, 401, 401]
        ),
        row(
            .post,
            "/v1/search",
            body: #"{"query": "Hi", "conversationId": "{conversationId}"}"#,
            [200, 200, 200, 200, 404, 401, 401]
        ),
        row(.put, "\(message)/star", [201, 201, 201, 201, 404, 401, 401]),
        row(.delete, "\(message)/star", [204, 204, 204, 204, 404, 401, 401]),
        row(.post, "/v1/reports", body: report, [201, 201, 201, 201, 404, 401, 401]),
        row(.put, scheduled, isNewMessage: true, body: schedule, [201, 201, 201, 403, 404, 401, 401]),
        row(.put, scheduled, isNewMessage: true, body: scheduleToAll, [201, 201, 403, 403, 404, 401, 401]),
        row(.get, scheduled, [404, 404, 404, 404, 404, 401, 401]),
        row(.delete, scheduled, [404, 404, 404, 404, 404, 401, 401]),
    ]

    // MARK: A direct conversation, of the owner with the member

    private static let direct = [
        pair(.post, "\(group)/invites", body: "{}", [403, 404, 401, 401]),
        pair(.get, "\(group)/invites", [403, 404, 401, 401]),
        pair(.delete, "\(group)/invites/{code}", [403, 404, 401, 401]),
        pair(.get, "/v1/invites/{code}", [404, 404, 401, 401]),
        pair(.patch, "\(group)/me", body: #"{"pinned": true}"#, [200, 404, 401, 401]),
        pair(.delete, "\(group)/me", [204, 404, 401, 401]),
        pair(.post, "\(group)/unread", body: #"{"fromSeq": 1}"#, [200, 404, 401, 401]),
        pair(.post, "\(group)/typing", body: #"{"typing": true}"#, [202, 404, 401, 401]),
        pair(.get, group, [200, 404, 401, 401]),
        pair(.patch, group, body: #"{"groupName": "Ours"}"#, [403, 404, 401, 401]),
        pair(.patch, group, body: #"{"permissions": {"send": "admins"}}"#, [403, 404, 401, 401]),
        pair(.patch, group, body: #"{"retentionSeconds": 3600}"#, [200, 404, 401, 401]),
        pair(.patch, group, body: #"{"slowModeSeconds": 60}"#, [403, 404, 401, 401]),
        pair(.get, "\(group)/participants", [200, 404, 401, 401]),
        pair(.put, participant, target: .outsider, [403, 404, 401, 401]),
        pair(.delete, participant, target: .secondOwner, [403, 404, 401, 401]),
        pair(.delete, participant, target: .caller, [403, 404, 401, 401]),
        pair(.post, "\(group)/leave", [403, 404, 401, 401]),
        pair(.post, "\(group)/join", [200, 404, 401, 401]),
        pair(.put, message, isNewMessage: true, body: #"{"text": "Hi"}"#, [201, 404, 401, 401]),
        pair(.post, "\(group)/messages", body: #"{"text": "Hi"}"#, [201, 404, 401, 401]),
        pair(.post, "\(group)/messages", body: toAll, [201, 404, 401, 401]),
        pair(.get, "\(group)/messages", [200, 404, 401, 401]),
        pair(.get, message, [200, 404, 401, 401]),
        pair(.get, "\(message)/receipts", [200, 404, 401, 401]),
        pair(.patch, message, body: #"{"text": "Other"}"#, [403, 404, 401, 401]),
        pair(.delete, message, [403, 404, 401, 401]),
        pair(.put, "\(message)/reactions/{emoji}", [200, 404, 401, 401]),
        pair(.put, "\(message)/pin", [200, 404, 401, 401]),
        pair(.delete, "\(message)/pin", [204, 404, 401, 401]),
        pair(.get, "\(group)/pins", [200, 404, 401, 401]),
        pair(
            .post,
            "/v1/search",
            body: #"{"query": "Hi", "conversationId": "{conversationId}"}"#,
            [200, 404, 401, 401]
        ),
    ]

    // MARK: What belongs to no conversation

    private static let own = [
        signedIn(.put, "/v1/conversations/direct/{userId}", 201),
        signedIn(.put, "/v1/conversations/direct/{userId}", target: .nobody, 404),
        signedIn(.put, "/v1/conversations/direct/{userId}", target: .caller, 422),
        signedIn(.post, "/v1/receipts", body: #"{"receipts": []}"#, 200),
        signedIn(.get, "/v1/starred", 200),
        signedIn(.post, "/v1/search", body: #"{"query": "Hi"}"#, 200),
        signedIn(.get, "/v1/scheduled", 200),
        signedIn(.get, "/v1/blocks", 200),
        signedIn(.put, "/v1/blocks/{userId}", 201),
        signedIn(.put, "/v1/blocks/{userId}", target: .nobody, 404),
        signedIn(.put, "/v1/blocks/{userId}", target: .caller, 422),
        signedIn(.delete, "/v1/blocks/{userId}", 204),
        signedIn(.delete, "/v1/blocks/{userId}", target: .nobody, 404),
        signedIn(.post, "/v1/reports", body: #"{"userId": "{userId}", "reason": "spam"}"#, 201),
        signedIn(.post, "/v1/reports", target: .nobody, body: #"{"userId": "{userId}", "reason": "spam"}"#, 404),
        signedIn(.post, "/v1/reports", target: .caller, body: #"{"userId": "{userId}", "reason": "spam"}"#, 422),
        signedIn(.put, "/v1/attachments/{attachmentId}", body: "a file", 201),
        signedIn(.post, "/v1/attachments", body: "a file", 201),
        signedIn(.patch, "/v1/attachments/{attachmentId}", body: "more", 415),
        signedIn(.get, "/v1/attachments/{attachmentId}", 404),
        signedIn(.delete, "/v1/attachments/{attachmentId}", 404),
        signedIn(.get, "/v1/attachments/{attachmentId}/content", 404),
        signedIn(.get, "/v1/me", 200),
        signedIn(.patch, "/v1/me", body: #"{"displayName": "Other"}"#, 200),
        signedIn(.delete, "/v1/me", 204),
        signedIn(.put, "/v1/me/presence", body: #"{"status": "away"}"#, 200),
        signedIn(.put, "/v1/presence/subscriptions", body: #"{"userIds": []}"#, 200),
        signedIn(.post, "/v1/me/export", 200),
        signedIn(.get, "/v1/users", 200),
        signedIn(.get, "/v1/users/{userId}", 200),
        signedIn(.get, "/v1/users/{userId}", target: .nobody, 404),
        signedIn(.get, "/v1/sync", 200),
        signedIn(.get, "/v1/stream", 200),
        signedIn(.put, "/v1/devices/{deviceId}", body: #"{"platform": "fcm", "token": "t"}"#, 201),
        signedIn(.delete, "/v1/devices/{deviceId}", 404),
        signedIn(.get, "/v1/devices", 200),
        signedIn(.get, "/v1/server", 200),
        signedIn(.get, "/v1/rate-limits", 200),
        signedIn(.get, "/v1/sessions", 200),
        signedIn(.delete, "/v1/sessions", 204),
        signedIn(.delete, "/v1/sessions/{sessionId}", 204),
        signedIn(.delete, "/v1/sessions/{othersSessionId}", 404),
        signedIn(
            .post,
            "/v1/auth/password/change",
            body: #"{"currentPassword": "correct horse", "newPassword": "battery staple"}"#,
            204
        ),
        signedIn(
            .post,
            "/v1/auth/password/change",
            body: #"{"currentPassword": "wrong horse", "newPassword": "battery staple"}"#,
            401
        ),
        signedIn(.post, "/v1/auth/email/resend", 202),
        signedIn(.post, "/v1/auth/logout", 204),
    ]

    /// Routes that ask for no access token.
    private static let open = [
        anyone(.get, "/healthz", 200),
        anyone(.get, "/readyz", 200),
        anyone(.get, "/metrics", 200),
        anyone(.get, "/openapi.yaml", 200),
        anyone(.post, "/v1/auth/register", body: #"{"email": "{newEmail}", "password": "correct horse"}"#, 201),
        anyone(.post, "/v1/auth/login", body: #"{"email": "{newEmail}", "password": "correct horse"}"#, 401),
        anyone(.get, "/v1/auth/providers", 200),
        anyone(.post, "/v1/auth/google", body: #"{"idToken": "invented"}"#, 404),
        anyone(.post, "/v1/auth/oidc/{provider}", body: #"{"idToken": "invented"}"#, 404),
        anyone(.get, "/v1/auth/oidc/{provider}/start", 404),
        anyone(.get, "/v1/auth/oidc/{provider}/callback", 404),
        anyone(.post, "/v1/auth/refresh", body: #"{"refreshToken": "invented"}"#, 401),
        anyone(.post, "/v1/auth/password/forgot", body: #"{"email": "{newEmail}"}"#, 202),
        anyone(
            .post,
            "/v1/auth/password/reset",
            body: #"{"token": "invented", "newPassword": "battery staple"}"#,
            422
        ),
        anyone(.post, "/v1/auth/email/verify", body: #"{"token": "invented"}"#, 422),
    ]
}
