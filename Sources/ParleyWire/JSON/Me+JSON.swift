import Foundation

extension Me: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.person(id, displayName, photoURL, presence, since: createdAt)
            writer.name("email")
            writer.string(email)
            writer.name("emailVerified")
            writer.bool(emailVerified)
            writer.name("settings")
            writer.value(settings)
            writer.name("needsOnboarding")
            writer.bool(needsOnboarding)
            writer.warnings(warnings)
        }
    }
}

extension UserSettings: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("readReceipts")
            writer.bool(readReceipts)
            writer.name("showPresence")
            writer.bool(showPresence)
            writer.name("timeZone")
            writer.optional(timeZone) { $0.string($1) }
            writer.name("locale")
            writer.optional(locale) { $0.string($1) }
            writer.name("quietHours")
            writer.optional(quietHours) { $0.value($1) }
        }
    }
}

extension QuietHours: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("from")
            writer.string(from)
            writer.name("to")
            writer.string(to)
            writer.name("timeZone")
            writer.string(timeZone)
        }
    }
}
