/// The names of the headers that Parley adds to HTTP.
public enum ParleyHeader {
    /// On the answer of a command: the token of what it appended.
    public static let position = "Parley-Position"
    /// On a GET: wait until this token (or stream cursor) is visible.
    public static let waitFor = "Parley-Wait-For"
    public static let requestID = "X-Request-Id"
    public static let idempotencyKey = "Idempotency-Key"
    /// Of uploads that go on, as draft-ietf-httpbis-resumable-upload has them.
    public static let uploadOffset = "Upload-Offset"
    public static let uploadComplete = "Upload-Complete"
    public static let uploadLength = "Upload-Length"
    public static let uploadLimit = "Upload-Limit"
    public static let lastEventID = "Last-Event-ID"
}
