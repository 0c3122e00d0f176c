import HTTPTypes

extension HTTPRequest {
    /// Whether the client may mean to go on in another protocol, which the server never does: whenever the parser sees that,
    /// and a little more often, since behind such a request it keeps all that comes.
    var changesProtocol: Bool {
        method == .connect || headerFields.contains(.upgrade)
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
                && field.value.split(separator: ",").contains { member in
                    member.filter { $0 != " " && $0 != "\t" }.lowercased() == option
                }
        }
    }
}
