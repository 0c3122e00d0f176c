/// By what whoever signs in wants to hold the session, as requests say it.
enum SessionChoice: String, CaseIterable {
    case tokens, cookie
}
