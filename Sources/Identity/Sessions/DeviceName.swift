import Confusables

/// The name under which a session is listed; blank means none.
enum DeviceName {
    static func check(_ name: String?, field: String = "deviceName") throws(InvalidField) -> String? {
        guard let name else { return nil }
        let checked = try TextRule(field: field, minimum: 0, maximum: 100).check(name)
        return Appearance.shows(checked) ? checked : nil
    }
}
