import HTTPTypes

extension HTTPRequest {
    /// Whether the client would go on in another protocol, which the server never does; as the parser sees it.
    var changesProtocol: Bool {
        method == .connect || (headerFields.single(.upgrade) != nil && hasConnectionOption("upgrade"))
    }

    /// The same, saying how long the body is that came along with it: in pieces, it did not.
    func stating(_ bytes: Int?) -> HTTPRequest {
        guard let bytes, headerFields.single(.contentLength) == nil else { return self }
        var head = self
        head.headerFields[.contentLength] = String(bytes)
        return head
    }

    var isWaitingToSend: Bool { headerFields.single(.expect)?.lowercased() == "100-continue" }

    /// Whether this is the last request of its connection, as the client asks, or by what it asks for.
    var endsConnection: Bool { hasConnectionOption("close") || changesProtocol }

    private func hasConnectionOption(_ option: String) -> Bool {
        headerFields.contains { field in
            field.name == .connection
                && field.value.split(separator: ",").contains { $0.filter { $0 != " " }.lowercased() == option }
        }
    }
}
