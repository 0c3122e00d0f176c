import ArgumentParser
import Foundation
import Glibc

/// One setting of the server: a flag, else an environment variable, else the default.
struct Setting<Value: Sendable>: Sendable {
    /// On the heap: a configuration has a hundred settings, and as a value of two thousand words each copy of it would be one
    /// block of code, which takes the compiler minutes.
    private let content: Content

    /// The flag without its dashes.
    var name: String { content.definition.name }
    var environmentName: String { content.definition.environmentName }
    var help: String { content.definition.help }
    var isSecret: Bool { content.definition.isSecret }
    /// The default, as an operator would write it; nil where there is none.
    var defaultText: String? { content.definition.defaultText }
    var source: SettingSource { content.reading.source }
    /// The text that the value was read from.
    var text: String? { content.reading.text }
    var value: Value { content.reading.value }
    /// What is wrong with the text from the environment; then the value is the default.
    var problem: String? { content.reading.problem }

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
        let definition = Definition(
            name: name,
            environmentName: environment ?? Self.environmentName(of: name),
            help: help,
            isSecret: isSecret,
            defaultText: defaultText,
            reader: reader
        )
        var reading = Reading(source: .default, text: defaultText, value: defaultValue)
        reading.takeEnvironment(definition)
        content = Content(definition, reading)
    }

    private init(_ content: Content) {
        self.content = content
    }

    /// The setting as a flag gives it.
    func given(_ text: String) throws -> Setting {
        let definition = content.definition
        do {
            let value = try definition.reader.read(text)
            return Setting(Content(definition, Reading(source: .flag, text: text, value: value)))
        } catch {
            throw ValidationError("expected \(definition.reader.hint)")
        }
    }

    private static func environmentName(of name: String) -> String {
        "PARLEY_" + name.uppercased().replacing("-", with: "_")
    }
}

extension Setting {
    private struct Definition: Sendable {
        let name: String
        let environmentName: String
        let help: String
        let isSecret: Bool
        let defaultText: String?
        let reader: SettingReader<Value>
    }

    private struct Reading: Sendable {
        var source: SettingSource
        var text: String?
        var value: Value
        var problem: String?

        mutating func takeEnvironment(_ definition: Definition) {
            // Asked one by one: a hundred settings are each read several times, and Foundation copies all variables at each.
            // An empty one is how many tools write "not set".
            guard let found = getenv(definition.environmentName).map({ String(cString: $0) }), !found.isEmpty else {
                return
            }
            text = found
            source = .environment
            do {
                value = try definition.reader.read(found)
            } catch {
                problem = "\(definition.environmentName) is not \(definition.reader.hint)"
            }
        }
    }

    private final class Content: Sendable {
        let definition: Definition
        let reading: Reading

        init(_ definition: Definition, _ reading: Reading) {
            self.definition = definition
            self.reading = reading
        }
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
