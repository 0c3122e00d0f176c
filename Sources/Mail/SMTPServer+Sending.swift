import CCurl
import Foundation

extension SMTPServer {
    /// Delivers one mail over a connection of its own; blocks.
    func send(_ message: MailMessage, unless abandoned: MailFlag) throws {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else {
            throw MailError(isPassing: true, "libcurl cannot be set up")
        }
        defer { curl_easy_cleanup(handle) }
        let transfer = SMTPTransfer(bytes: message.rendered(), abandoned: abandoned)
        guard let recipients = curl_slist_append(nil, "<\(message.to.address)>") else {
            throw MailError(isPassing: true, "libcurl cannot be set up")
        }
        defer { curl_slist_free_all(recipients) }
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        let result = withExtendedLifetime(transfer) { () -> CURLcode in
            let code = configure(handle, from: message.from, to: recipients, context, size: transfer.count)
            return code == CURLE_OK ? curl_easy_perform(handle) : code
        }
        guard result != CURLE_OK else { return }
        if result == CURLE_ABORTED_BY_CALLBACK { throw CancellationError() }
        throw Self.failure(result, response: parley_curl_response_code(handle))
    }

    /// Sets everything; the first option that is refused ends it.
    private func configure(
        _ handle: UnsafeMutableRawPointer,
        from: MailAddress,
        to recipients: UnsafeMutablePointer<curl_slist>,
        _ context: UnsafeMutableRawPointer,
        size: Int
    ) -> CURLcode {
        // The path is what the server is greeted with.
        let address = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let scheme = security == .implicit ? "smtps" : "smtp"
        let usesTLS = security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        let settings: [CURLcode] = [
            parley_curl_set_text(handle, CURLOPT_URL, "\(scheme)://\(address):\(port)/\(from.domain)"),
            parley_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            // Proxies of the environment are not meant for mail.
            parley_curl_set_text(handle, CURLOPT_PROXY, ""),
            parley_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            parley_curl_set_long(handle, CURLOPT_USE_SSL, Int(usesTLS.rawValue)),
            parley_curl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            parley_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, connectTimeout.milliseconds),
            parley_curl_set_long(handle, CURLOPT_TIMEOUT_MS, timeout.milliseconds),
            parley_curl_set_text(handle, CURLOPT_MAIL_FROM, "<\(from.address)>"),
            parley_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
            parley_curl_set_long(handle, CURLOPT_UPLOAD, 1),
            parley_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(size)),
            parley_curl_set_reader(handle, SMTPTransfer.read, context),
            parley_curl_set_watcher(handle, SMTPTransfer.watch, context),
            user.map { parley_curl_set_text(handle, CURLOPT_USERNAME, $0) } ?? CURLE_OK,
            password.map { parley_curl_set_text(handle, CURLOPT_PASSWORD, $0) } ?? CURLE_OK,
            certificates.map { parley_curl_set_text(handle, CURLOPT_CAINFO, $0) } ?? CURLE_OK,
        ]
        return settings.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private static func failure(_ code: CURLcode, response: Int) -> MailError {
        // The server's verdict on this sender, recipient or text, as opposed to a connection or a sign-in that failed.
        let isVerdict = code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY
        let isFinal = isVerdict && (550...556).contains(response)
        let answer = response >= 400 ? ", the server answered \(response)" : ""
        return MailError(isPassing: !isFinal, String(cString: curl_easy_strerror(code)).lowercased() + answer)
    }
}

/// libcurl is set up once per process, before it is used by any thread.
private enum CurlLibrary {
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// What libcurl reads from while it delivers; used by one thread only.
private final class SMTPTransfer {
    private var rest: ArraySlice<UInt8>
    private let abandoned: MailFlag
    let count: Int

    init(bytes: [UInt8], abandoned: MailFlag) {
        rest = bytes[...]
        count = bytes.count
        self.abandoned = abandoned
    }

    static let read: parley_curl_reader = { buffer, size, count, context in
        guard let buffer, let context else { return 0 }
        let (room, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow else { return 0 }
        return Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue().read(into: buffer, room)
    }

    /// Asked at least once a second; other than 0 ends the delivery.
    static let watch: parley_curl_watcher = { context, _, _, toSend, sent in
        guard let context else { return 0 }
        let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
        // Once all is sent, only the server's answer tells whether the mail is to be sent again.
        let isAllSent = toSend > 0 && sent >= toSend
        return transfer.abandoned.isSet && !isAllSent ? 1 : 0
    }

    private func read(into buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        let piece = rest.prefix(room)
        piece.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            UnsafeMutableRawPointer(buffer).copyMemory(from: source, byteCount: bytes.count)
        }
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int(max(1, min(3_600_000, (self / .milliseconds(1)).rounded()))) }
}
