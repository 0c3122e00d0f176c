import Foundation

extension Participant: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("userId")
            writer.id(userId)
            writer.appearance(displayName, photoURL)
            writer.name("role")
            writer.string(role.rawValue)
            writer.name("joinedAt")
            writer.time(joinedAt)
            writer.name("revision")
            writer.number(revision)
            writer.erased(erased)
            writer.bot(isBot)
            writer.warnings(warnings)
        }
    }

    /// With its id in a conversation's `participantIds`.
    package var weight: Int { 190 + (displayName?.utf8.count ?? 0) + (photoURL?.utf8.count ?? 0) }
}

extension User: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.person(id, displayName, photoURL, presence, since: createdAt)
            writer.erased(erased)
            writer.bot(isBot)
        }
    }
}

extension UserSummary: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.appearance(displayName, photoURL)
            writer.erased(erased)
            writer.bot(isBot)
        }
    }

    /// With the id before it.
    package var weight: Int { 90 + (displayName?.utf8.count ?? 0) + (photoURL?.utf8.count ?? 0) }
}

extension [WireID: UserSummary] {
    /// About how many bytes the member `users` will be.
    package var weight: Int { values.reduce(0) { $0 + $1.weight } }
}

extension Presence: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("status")
            writer.string(status.rawValue)
            writer.name("lastSeen")
            writer.optional(lastSeen) { $0.time($1) }
        }
    }
}

extension Warning: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("code")
            writer.string(code.rawValue)
            writer.name("userId")
            writer.id(userId)
            writer.name("similarTo")
            writer.id(similarTo)
        }
    }
}

extension JSONWriter {
    /// The member `users`: everyone whom an answer names.
    mutating func users(_ users: [WireID: UserSummary]) {
        name("users")
        map(users) { $0.value($1) }
    }

    /// The members that a person has for everyone, themselves included.
    mutating func person(
        _ id: WireID,
        _ displayName: String?,
        _ photoURL: String?,
        _ presence: Presence,
        since createdAt: Date
    ) {
        name("id")
        self.id(id)
        appearance(displayName, photoURL)
        name("presence")
        value(presence)
        name("createdAt")
        time(createdAt)
    }

    /// The members that show a person.
    mutating func appearance(_ displayName: String?, _ photoURL: String?) {
        name("displayName")
        optional(displayName) { $0.string($1) }
        name("photoURL")
        optional(photoURL) { $0.string($1) }
    }

    /// The member `warnings`, where there are any.
    mutating func warnings(_ warnings: [Warning]?) {
        guard let warnings else { return }
        name("warnings")
        array(warnings)
    }

    mutating func erased(_ isErased: Bool?) {
        guard let isErased else { return }
        name("erased")
        bool(isErased)
    }

    mutating func bot(_ isBot: Bool?) {
        guard let isBot else { return }
        name("isBot")
        bool(isBot)
    }
}
