import CoreMetrics
import Foundation
import Logging
import Mail

/// Sends what waits in the outbox.
///
/// An address that was asked for is looked up here and not where it was asked for, so that asking costs the same whether
/// or not there is an account.
struct MailWorker: Sendable {
    let outbox: MailOutbox
    let accounts: Accounts
    let issuedTokens: IssuedTokens
    let tokens: MailTokens
    let recipients: MailRecipients
    let configuration: MailConfiguration
    let lifetimes: MailLifetimes
    let logger: Logger
    let now: @Sendable () -> Date

    /// Sends all that is due, one mail after the other, and no faster than the configuration says.
    func sendDue() async throws {
        guard let mailer = configuration.mailer, let sender = configuration.from else { return }
        let pause = Duration.seconds(1) / configuration.ratePerSecond
        while let due = try await outbox.claim(lease: configuration.lease) {
            let next = ContinuousClock.now + pause
            if let message = try await message(for: due, from: sender) {
                try await deliver(message, due, by: mailer)
                try await Task.sleep(until: next)
            } else {
                try await outbox.remove(due.id)
            }
        }
    }

    private func deliver(_ message: MailMessage, _ due: MailOutbox.Due, by mailer: Mailer) async throws {
        do {
            try await mailer.send(message)
        } catch let error as MailError {
            return try await failed(due, error)
        } catch is CancellationError {
            // Cut short before it was sent: another server, or the next start, need not wait for the lease.
            return try await evenIfCancelled { try await outbox.retry(due.id, in: 0, after: "the server was stopped") }
        }
        IdentityMetrics.mailsSent.increment()
        // A server that stops now must not leave the mail to be sent again.
        try await evenIfCancelled { try await outbox.remove(due.id) }
    }

    /// Runs to its end in a task that the cancellation of this one does not reach.
    private func evenIfCancelled(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { try await work() }.value
    }

    private func failed(_ due: MailOutbox.Due, _ error: MailError) async throws {
        IdentityMetrics.mailFailures.increment()
        let delay = Self.delay(after: due.attempts)
        let isLast = !error.isPassing || due.attempts >= configuration.attemptLimit || delay >= due.secondsLeft
        logger.warning(
            "A mail was not delivered",
            metadata: ["mail": "\(due.id)", "reason": "\(error)", "givenUp": "\(isLast)"]
        )
        if isLast {
            IdentityMetrics.mailsGivenUp.increment()
            try await outbox.giveUp(due.id, after: error.description)
        } else {
            try await outbox.retry(due.id, in: delay, after: error.description)
        }
    }

    /// Doubles from a quarter of a minute to an hour; chance keeps mails that failed together from returning together.
    static func delay(after attempts: Int) -> Double {
        let longest = min(15 * Double(sign: .plus, exponent: max(0, min(attempts - 1, 20)), significand: 1), 3600)
        return Double.random(in: longest / 2...longest)
    }

    /// The mail as it is to be sent; nil if nobody is to get it.
    private func message(for due: MailOutbox.Due, from sender: MailAddress) async throws -> MailMessage? {
        if due.kind == .webhookDisabled { return try operatorsMessage(for: due, from: sender) }
        guard let account = try await account(of: due), let to = MailAddress(address: account.email.text) else {
            return nil
        }
        return try await text(of: due, for: account).map { MailMessage(due, $0, from: sender, to: to) }
    }

    /// To an address of the configuration, whether or not there is an account.
    private func operatorsMessage(for due: MailOutbox.Due, from sender: MailAddress) throws -> MailMessage? {
        guard case .sealed(let sealed) = due.recipient, let email = try recipients.open(sealed, of: due.id),
            let to = MailAddress(address: email.text)
        else { return nil }
        let text = MailTexts(appURL: configuration.appURL).webhookDisabled(due.about)
        return MailMessage(due, text, from: sender, to: to)
    }

    private func account(of due: MailOutbox.Due) async throws -> Account? {
        switch due.recipient {
        case .account(let id): return try await accounts.find(id: id)
        case .sealed(let sealed):
            guard let email = try recipients.open(sealed, of: due.id) else { return nil }
            return try await accounts.find(email: email)
        }
    }

    private func text(of due: MailOutbox.Due, for account: Account) async throws -> MailTexts.Text? {
        let texts = MailTexts(appURL: configuration.appURL)
        switch due.kind {
        case .verifyEmail:
            guard !account.isEmailVerified, !account.isDeactivated else { return nil }
            return texts.verifyEmail(
                try await token(of: due, for: account, goodFor: lifetimes.verification),
                goodFor: lifetimes.verification
            )
        case .resetPassword:
            // An account that has nobody to set one is closed to passwords, and a closed one to everything.
            guard account.mayHavePassword, !account.isDeactivated else { return nil }
            return texts.resetPassword(
                try await token(of: due, for: account, goodFor: lifetimes.reset),
                goodFor: lifetimes.reset
            )
        case .passwordChanged:
            return texts.passwordChanged()
        case .accountLinked:
            return texts.accountLinked()
        case .webhookDisabled:
            return nil
        }
    }

    private func token(of due: MailOutbox.Due, for account: Account, goodFor lifetime: Duration) async throws -> Secret
    {
        let token = tokens.token(of: due.id, for: due.kind)
        let expiry = now().addingTimeInterval(lifetime.seconds)
        try await issuedTokens.issue(token, for: due.kind, to: account, until: expiry)
        return token.text
    }
}

extension MailMessage {
    fileprivate init(_ due: MailOutbox.Due, _ text: MailTexts.Text, from sender: MailAddress, to: MailAddress) {
        self.init(
            id: due.id,
            date: due.createdAt,
            from: sender,
            to: to,
            subject: text.subject,
            text: text.text
        )
    }
}
