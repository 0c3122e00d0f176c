import Confusables
import EventSourcing
import Foundation
import Messaging
import Postgres

/// What a batch changes of one row of `users`.
struct UserChange {
    private var registration: Registration?
    private var displayName: String?
    private var photoURL = Change<String>.unchanged
    private var readReceipts: Bool?
    private var showPresence: Bool?
    private var timeZone = Change<String>.unchanged
    private var locale = Change<String>.unchanged
    private var deactivated: Bool?
    private var isErased = false
    private var changedPosition: Int64 = 0

    private struct Registration {
        let partition: Int
        let at: Date
    }

    mutating func fold(_ fact: UserEvent, of record: RecordedEvent) {
        changedPosition = record.position
        switch fact {
        case .registered(let name):
            registration = Registration(partition: record.partition, at: record.recordedAt)
            displayName = name ?? displayName
        case .profileChanged(let change):
            displayName = change.displayName ?? displayName
            if change.photoURL != .unchanged { photoURL = change.photoURL }
            readReceipts = change.readReceipts ?? readReceipts
            showPresence = change.showPresence ?? showPresence
            if change.timeZone != .unchanged { timeZone = change.timeZone }
            if change.locale != .unchanged { locale = change.locale }
        case .erased:
            (displayName, readReceipts, showPresence) = (nil, true, true)
            (photoURL, timeZone, locale) = (.cleared, .cleared, .cleared)
            isErased = true
        case .deactivated:
            deactivated = true
        case .reactivated:
            deactivated = false
        }
    }

    // MARK: Statements

    static func statements(for changes: [UUID: UserChange], in schema: ReadSchema) -> [SQL] {
        var registered: [(UUID, UserChange, Registration)] = []
        var changed: [(UUID, UserChange)] = []
        for (id, change) in changes {
            if let registration = change.registration {
                registered.append((id, change, registration))
            } else {
                changed.append((id, change))
            }
        }
        return [insert(registered, in: schema), update(changed, in: schema)].compactMap { $0 }
    }

    private static func insert(
        _ rows: [(id: UUID, change: Self, registration: Registration)],
        in schema: ReadSchema
    ) -> SQL? {
        guard !rows.isEmpty else { return nil }
        let names = rows.map { $0.change.displayName.map(DirectoryName.init) }
        let skeletons = rows.map { $0.change.displayName.map(NameSkeleton.init) }
        return """
            INSERT INTO \(identifier: schema.name).users (
                user_id, partition, created_at, changed_position, display_name, photo_url, read_receipts, show_presence,
                time_zone, locale, sort_name, words, name_look, name_letters, deactivated, erased)
            SELECT
                x.user_id, x.partition, x.created_at, x.changed_position, x.display_name, x.photo_url, x.read_receipts,
                x.show_presence, x.time_zone, x.locale, x.sort_name, coalesce(x.words::tsvector, ''), x.name_look, x.name_letters,
                x.deactivated, x.erased
            FROM (
                SELECT
                    unnest(\(rows.map(\.id))) AS user_id,
                    unnest(\(rows.map { Int32(clamping: $0.registration.partition) })) AS partition,
                    unnest(\(rows.map(\.registration.at))) AS created_at,
                    unnest(\(rows.map(\.change.changedPosition))) AS changed_position,
                    unnest(\(rows.map(\.change.displayName))) AS display_name,
                    unnest(\(rows.map { $0.change.photoURL.newValue })) AS photo_url,
                    unnest(\(rows.map { $0.change.readReceipts ?? true })) AS read_receipts,
                    unnest(\(rows.map { $0.change.showPresence ?? true })) AS show_presence,
                    unnest(\(rows.map { $0.change.timeZone.newValue })) AS time_zone,
                    unnest(\(rows.map { $0.change.locale.newValue })) AS locale,
                    unnest(\(names.map { $0?.sortKey })) AS sort_name, unnest(\(names.map { $0?.lexemes })) AS words,
                    unnest(\(skeletons.map { $0?.appearance })) AS name_look,
                    unnest(\(skeletons.map { $0?.letters })) AS name_letters,
                    unnest(\(rows.map { $0.change.deactivated ?? false })) AS deactivated,
                    unnest(\(rows.map(\.change.isErased))) AS erased
            ) AS x
            """
    }

    private static func update(_ rows: [(id: UUID, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        let names = rows.map { $0.change.displayName.map(DirectoryName.init) }
        let skeletons = rows.map { $0.change.displayName.map(NameSkeleton.init) }
        return """
            UPDATE \(identifier: schema.name).users u
            SET changed_position = x.changed_position,
                display_name = CASE WHEN NOT x.erased THEN coalesce(x.display_name, u.display_name) END,
                photo_url = CASE WHEN x.photo_changed THEN x.photo_url ELSE u.photo_url END,
                read_receipts = coalesce(x.read_receipts, u.read_receipts),
                show_presence = coalesce(x.show_presence, u.show_presence),
                time_zone = CASE WHEN x.time_zone_changed THEN x.time_zone ELSE u.time_zone END,
                locale = CASE WHEN x.locale_changed THEN x.locale ELSE u.locale END,
                sort_name = CASE WHEN NOT x.erased THEN coalesce(x.sort_name, u.sort_name) END,
                words = CASE WHEN x.erased THEN '' ELSE coalesce(x.words::tsvector, u.words) END,
                name_look = CASE WHEN NOT x.erased THEN coalesce(x.name_look, u.name_look) END,
                name_letters = CASE WHEN NOT x.erased THEN coalesce(x.name_letters, u.name_letters) END,
                deactivated = coalesce(x.deactivated, u.deactivated),
                erased = u.erased OR x.erased
            FROM unnest(
                \(rows.map(\.id)), \(rows.map(\.change.changedPosition)), \(rows.map(\.change.displayName)),
                \(rows.map { $0.change.photoURL != .unchanged }), \(rows.map { $0.change.photoURL.newValue }),
                \(rows.map(\.change.readReceipts)), \(rows.map(\.change.showPresence)),
                \(rows.map { $0.change.timeZone != .unchanged }),
                \(rows.map { $0.change.timeZone.newValue }), \(rows.map { $0.change.locale != .unchanged }),
                \(rows.map { $0.change.locale.newValue }), \(names.map { $0?.sortKey }), \(names.map { $0?.lexemes }),
                \(skeletons.map { $0?.appearance }), \(skeletons.map { $0?.letters }),
                \(rows.map(\.change.deactivated)), \(rows.map(\.change.isErased))
            ) AS x (
                user_id, changed_position, display_name, photo_changed, photo_url, read_receipts, show_presence,
                time_zone_changed, time_zone, locale_changed, locale, sort_name, words, name_look, name_letters, deactivated, erased)
            WHERE u.user_id = x.user_id
            """
    }
}
