import ReadModels

extension SettingReader where Value == SearchLanguage {
    static var searchLanguage: Self {
        Self("one of " + SearchLanguage.names.joined(separator: ", ")) { SearchLanguage($0) }
    }
}
