extension Block: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("userId")
            writer.id(userId)
            writer.appearance(displayName, photoURL)
            writer.name("blockedAt")
            writer.time(blockedAt)
            writer.erased(erased)
        }
    }
}
