import HTTPTypes

extension HTTPFields {
    /// The value of a field that is normally there once, as the subscript gives it, but without joining one value.
    func single(_ name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return self[name] }
            found = field.value
        }
        return found
    }
}
