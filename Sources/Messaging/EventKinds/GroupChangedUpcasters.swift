import EventSourcing
import Foundation

/// What older versions of `groupChanged` stored. The shapes here never change, whatever becomes of the event.
enum GroupChangedUpcasters {
    /// Version 2 says what was set, which the sealed content does not once its key is destroyed.
    static let toVersion2: EventKind.Upcaster = { content in
        let old = try EventJSON.decode(Version1.self, from: content.payload)
        var setsName: Bool?
        var setsIcon: Bool?
        if let personal = content.personal {
            let appearance = try EventJSON.decode(Appearance1.self, from: personal)
            setsName = appearance.setsName
            setsIcon = appearance.setsIcon
        } else if old.joinPolicy == nil, old.historyVisibility == nil {
            // Where it set nothing else, it was the name: nothing set icons then.
            setsName = true
        }
        let new = Version2(
            historyVisibility: old.historyVisibility,
            joinPolicy: old.joinPolicy,
            setsIcon: setsIcon,
            setsName: setsName
        )
        return StoredContent(payload: try EventJSON.encode(new), personal: content.personal)
    }

    private struct Version1: Decodable {
        let joinPolicy: String?
        let historyVisibility: String?
    }

    private struct Version2: Encodable {
        let historyVisibility: String?
        let joinPolicy: String?
        let setsIcon: Bool?
        let setsName: Bool?
    }

    /// The sealed content: nothing is set by a name that is null or absent, and the icon by whatever is there.
    private struct Appearance1: Decodable {
        let setsName: Bool?
        let setsIcon: Bool?

        enum CodingKeys: String, CodingKey { case name, icon }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            setsName = try container.decodeIfPresent(String.self, forKey: .name) == nil ? nil : true
            setsIcon = container.contains(.icon) ? true : nil
        }
    }
}
