extension Message {
    /// Takes out what its sender has said: the text and the files; of a system message, what the group was called and its icon.
    public mutating func forgetContent() {
        text = nil
        attachments = []
        guard kind == .system, case .object(var members) = data, case .object(var changes) = members["changes"] else {
            return
        }
        for name in ["groupName", "groupIcon"] where changes[name] != nil { changes[name] = .null }
        members["changes"] = .object(changes)
        data = .object(members)
    }
}
