import ParleyWire

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    init(stringLiteral text: String) {
        self = .string(text)
    }
}
