import Identity

/// What a route costs and guards, which says how it is limited.
package enum RouteClass: Sendable {
    /// Answered from memory; counted nowhere.
    case free
    case login, register, forgot, reset, verify, resend, change, refresh
    /// Ends sessions: a bot's tokens are its operators' to end, who are written down.
    case signOut
    case send, command, receipts, read, directory, search, sync, stream, export, report, operation
    case upload, download

    /// The bucket that is asked before the request is read any further. Signing in and asking for a mail are counted by
    /// email address as well, once that has been read.
    var policy: RatePolicy? {
        switch self {
        case .free: nil
        case .login: .loginAddress
        case .register: .register
        case .forgot: .forgotAddress
        case .reset: .reset
        case .verify: .verify
        case .resend: .resend
        case .change: .change
        case .refresh: .refresh
        case .send: .send
        case .command, .signOut: .command
        case .receipts: .receipts
        case .read: .read
        case .directory: .directory
        case .search: .search
        case .sync: .sync
        case .stream: .stream
        case .export: .export
        case .report: .report
        case .upload: .upload
        case .download: .download
        case .operation: .operation
        }
    }

    /// The bucket that is asked for a bot in its place.
    var botPolicy: RatePolicy? {
        switch self {
        case .free: nil
        case .send: .botSend
        case _: .bot
        }
    }

    /// What a bot's token must allow; nil where bots have no business.
    var botScope: BotScope? {
        switch self {
        case .free, .receipts, .read, .directory, .search, .sync, .stream, .download: .read
        case .send, .command, .report, .upload: .write
        case .login, .register, .forgot, .reset, .verify, .resend, .change, .refresh, .signOut, .export, .operation: nil
        }
    }

    /// Whether each answer is memory of its own. What is the same for all, as the web client's files and the specification,
    /// is held once however many ask for it; and those who watch over the server are answered whatever clients hold.
    var holdsAnswers: Bool {
        switch self {
        case .free, .operation: false
        case _: true
        }
    }

    /// Whether a caller's requests wait for each other (``ReadTurns``). What catches up waits in a line of its own, and files
    /// are read as they are written.
    var takesTurns: Bool {
        switch self {
        case .read, .directory, .search: true
        case _: false
        }
    }

    /// What its routes take as a body, where they say nothing else.
    var body: BodyRule {
        switch self {
        case .free, .login, .register, .forgot, .reset, .verify, .resend, .change, .refresh, .operation: .credentials
        case .signOut, .send, .command, .receipts, .read, .directory, .search, .sync, .stream, .export, .report,
            .upload, .download:
            .fields
        }
    }
}
