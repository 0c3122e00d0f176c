import Foundation
import ParleyWire

func encoded(_ value: some Encodable) throws -> String {
    let encoder = WireJSON.encoder()
    encoder.outputFormatting.insert(.sortedKeys)
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func decoded<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try WireJSON.decoder().decode(type, from: Data(json.utf8))
}

/// The keys of the JSON object that a value becomes.
func keys(of value: some Encodable) throws -> Set<String> {
    let object = try decoded([String: JSONValue].self, encoded(value))
    return Set(object.keys)
}
