extension Invite: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("code")
            writer.string(code)
            writer.name("createdBy")
            writer.id(createdBy)
            writer.name("createdAt")
            writer.time(createdAt)
            writer.name("expiresAt")
            writer.optional(expiresAt) { $0.time($1) }
            writer.name("maxUses")
            writer.optional(maxUses) { $0.number($1) }
            writer.name("uses")
            writer.number(uses)
        }
    }
}

extension InvitePreview: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("groupName")
            writer.optional(groupName) { $0.string($1) }
            writer.name("participantCount")
            writer.number(participantCount)
        }
    }
}
