import ArgumentParser
import Foundation

/// One setting of the server: a flag, else an environment variable, else the default.
struct Setting<Value: Sendable>: Sendable {
    /// The flag without its dashes.
    let name: String
    let environmentName: String
    let help: String
    let isSecret: Bool
    /// The default, as an operator would write it; nil where there is none.
    let defaultText: String?
    private let reader: SettingReader<Value>

    private(set) var source = SettingSource.default
    /// The text that the value was read from.
    private(set) var text: String?
    private(set) var value: Value
    /// What is wrong with the text from the environment; then the value is the default.
    private(set) var problem: String?

    /// A setting with a default.
    init(
        _ name: String,
        default defaultText: String,
        _ reader: SettingReader<Value>,
        environment: String? = nil,
        isSecret: Bool = false,
        _ help: String
    ) {
        guard let value = try? reader.read(defaultText) else {
            preconditionFailure("the default of --\(name) is a literal that its own reader accepts")
        }
        self.init(name, defaultText, value, reader, environment, isSecret, help)
    }

    /// A setting that may be absent.
    init<Wrapped>(
        optional name: String,
        _ reader: SettingReader<Wrapped>,
        environment: String? = nil,
        isSecret: Bool = false,
        _ help: String
    ) where Value == Wrapped? {
        let optionalReader = SettingReader<Value>(reader.hint) { try reader.read($0) }
        self.init(name, nil, nil, optionalReader, environment, isSecret, help)
    }

    private init(
        _ name: String,
        _ defaultText: String?,
        _ defaultValue: Value,
        _ reader: SettingReader<Value>,
        _ environment: String?,
        _ isSecret: Bool,
        _ help: String
    ) {
        self.name = name
        self.environmentName = environment ?? Self.environmentName(of: name)
        self.help = help
        self.isSecret = isSecret
        self.defaultText = defaultText
        self.reader = reader
        text = defaultText
        value = defaultValue
        readEnvironment()
    }

    /// The setting as a flag gives it.
    func given(_ text: String) throws -> Setting {
        var setting = self
        do {
            setting.value = try reader.read(text)
        } catch {
            throw ValidationError("expected \(reader.hint)")
        }
        setting.text = text
        setting.source = .flag
        setting.problem = nil
        return setting
    }

    private mutating func readEnvironment() {
        // An empty variable is how many tools write "not set".
        guard let text = ProcessInfo.processInfo.environment[environmentName], !text.isEmpty else { return }
        self.text = text
        source = .environment
        do {
            value = try reader.read(text)
        } catch {
            problem = "\(environmentName) is not \(reader.hint)"
        }
    }

    private static func environmentName(of name: String) -> String {
        "PARLEY_" + name.uppercased().replacing("-", with: "_")
    }
}

/// Where a setting's value comes from.
enum SettingSource: String, Sendable {
    case `default`
    case environment
    case flag
}

/// What all settings have, whatever the type of their value.
protocol ListedSetting: Sendable {
    var name: String { get }
    var environmentName: String { get }
    var isSecret: Bool { get }
    var source: SettingSource { get }
    var text: String? { get }
    var problem: String? { get }
}

extension Setting: ListedSetting {}

extension Option {
    /// A flag that falls back to the setting's environment variable and default.
    init<T>(_ setting: Setting<T>) where Value == Setting<T> {
        let fallback = setting.defaultText.map { "; default: \($0)" } ?? ""
        self.init(
            wrappedValue: setting,
            name: .customLong(setting.name),
            help: ArgumentHelp("\(setting.help) (\(setting.environmentName)\(fallback))", valueName: "value"),
            transform: { try setting.given($0) }
        )
    }

    /// The setting behind the flag, where this is the flag of a setting.
    fileprivate var listed: (any ListedSetting)? { wrappedValue as? any ListedSetting }
}

/// Lets the flags of a configuration be found by reflection, so that no second list of them can be wrong.
protocol SettingFlag {
    var setting: (any ListedSetting)? { get }
}

extension Option: SettingFlag {
    var setting: (any ListedSetting)? { listed }
}

/// As ``SettingFlag``, for settings that are listed together in a type of their own.
protocol SettingGroup {
    var members: any ParsableArguments { get }
}

extension OptionGroup: SettingGroup {
    var members: any ParsableArguments { wrappedValue }
}
