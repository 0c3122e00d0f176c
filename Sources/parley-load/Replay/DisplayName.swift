/// Makes any nickname fit the contract: 2 to 30 characters after trimming.
enum DisplayName {
    static func fitting(_ nickname: String) -> String {
        let words = nickname.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let name = String(words.prefix(30))
        return name.count < 2 ? name + "__".suffix(2 - name.count) : name
    }
}
