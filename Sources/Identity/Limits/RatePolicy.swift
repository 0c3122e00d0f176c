/// Every rate limit there is, with its default. Each is a setting: `login-account` is `--limit-login-account`.
package enum RatePolicy: String, CaseIterable, Sendable {
    case loginAccount = "login-account"
    case loginAddress = "login-address"
    case register
    case forgotAccount = "forgot-account"
    case forgotAddress = "forgot-address"
    case reset
    case verify
    case resend
    case change
    case refresh
    case send
    case batch
    case command
    case receipts
    case read
    case directory
    case search
    case sync
    case stream
    case export
    case report
    case upload
    case download
    case operation
    case bot
    case botSend = "bot-send"
    case forgedToken = "forged-token"

    package var standard: RateLimit {
        switch self {
        case .loginAccount: RateLimit(10, per: .seconds(600))
        case .loginAddress: RateLimit(30, per: .seconds(600))
        case .register: RateLimit(20, per: .seconds(3_600))
        case .forgotAccount: RateLimit(3, per: .seconds(3_600))
        case .forgotAddress: RateLimit(20, per: .seconds(3_600))
        case .reset, .verify: RateLimit(20, per: .seconds(3_600))
        case .resend: RateLimit(3, per: .seconds(3_600))
        case .change: RateLimit(10, per: .seconds(3_600))
        // Many people may share an address, and each of them refreshes a few times an hour.
        case .refresh: RateLimit(600, per: .seconds(600))
        case .send: RateLimit(50, per: .seconds(5))
        // Each of up to 100 messages.
        case .batch: RateLimit(10, per: .seconds(10))
        case .command: RateLimit(60, per: .seconds(30))
        case .receipts: RateLimit(100, per: .seconds(10))
        case .read: RateLimit(300, per: .seconds(10))
        case .directory: RateLimit(30, per: .seconds(30))
        // As fast as somebody types and reads; each may cost as much as many reads.
        case .search: RateLimit(60, per: .seconds(30))
        case .sync: RateLimit(120, per: .seconds(60))
        case .stream: RateLimit(30, per: .seconds(60))
        case .export: RateLimit(5, per: .seconds(3_600))
        case .report: RateLimit(20, per: .seconds(3_600))
        case .upload: RateLimit(100, per: .seconds(60))
        // A screen full of small pictures, and a few as one leafs through them.
        case .download: RateLimit(600, per: .seconds(10))
        case .operation: RateLimit(600, per: .seconds(60))
        // A bot serves many people at once, and asks more seldom than all their devices would.
        case .bot: RateLimit(600, per: .seconds(30))
        case .botSend: RateLimit(100, per: .seconds(5))
        case .forgedToken: RateLimit(60, per: .seconds(60))
        }
    }

    /// What requests are counted by.
    package enum Scope: Sendable {
        /// The email address that is claimed, whether it has an account or not.
        case account
        /// The client's address; of IPv6 the first 64 bits, which is what one customer of a provider has.
        case address
        /// Who is signed in.
        case person
    }

    package var scope: Scope {
        switch self {
        case .loginAccount, .forgotAccount: .account
        case .loginAddress, .register, .forgotAddress, .reset, .verify, .refresh, .operation, .forgedToken:
            .address
        case .resend, .change, .send, .batch, .command, .receipts, .read, .directory, .search, .sync, .stream, .export,
            .report, .upload, .download, .bot, .botSend:
            .person
        }
    }

    /// Counted in the database, for all processes together and beyond restarts: what guards passwords and mailboxes. The
    /// others are counted in each process's memory.
    package var isShared: Bool {
        switch self {
        case .loginAccount, .loginAddress, .register, .forgotAccount, .forgotAddress, .reset, .verify, .resend, .change:
            true
        case .refresh, .send, .batch, .command, .receipts, .read, .directory, .search, .sync, .stream, .export,
            .report, .upload, .download, .operation, .bot, .botSend, .forgedToken:
            false
        }
    }

    /// Whether it is for bots, which have these limits instead of people's.
    package var isOfBots: Bool { self == .bot || self == .botSend }

    /// What is limited, for the help of its setting.
    package var meaning: String {
        switch self {
        case .loginAccount: "Sign-ins tried for one email address"
        case .loginAddress: "Sign-ins tried from one address"
        case .register: "Accounts registered from one address"
        case .forgotAccount: "Password resets asked for by mail for one email address"
        case .forgotAddress: "Password resets asked for from one address"
        case .reset: "Password resets tried with a mailed token from one address"
        case .verify: "Email verifications tried with a mailed token from one address"
        case .resend: "Verification mails that one person asks for"
        case .change: "Password changes tried by one person"
        case .refresh: "Refreshes of tokens from one address"
        case .send: "Messages sent by one person"
        case .batch: "Requests of one person that send several messages at once"
        case .command: "Other changes by one person: conversations, members, profile, sessions"
        case .receipts: "Reports of what one person has received and read"
        case .read: "Reads by one person"
        case .search: "Searches of messages by one person"
        case .directory: "Searches of the directory, and invites tried, by one person"
        case .sync: "Syncs by one person"
        case .stream: "Streams opened by one person"
        case .export: "Exports of one person's data"
        case .report: "Reports to the operators by one person"
        case .upload: "Requests of one person that bring files, or take them back"
        case .download: "Requests of one person for the bytes of files"
        case .forgedToken: "Forged tokens from one address, of people, bots and operators"
        case .bot: "Requests of one bot, but for sending"
        case .botSend: "Messages sent by one bot"
        case .operation: "Health checks, reads of metrics and specification, and operators' requests, from one address"
        }
    }
}
