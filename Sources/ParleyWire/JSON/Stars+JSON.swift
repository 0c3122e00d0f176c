extension StarredMessage: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("message")
            writer.value(message)
            writer.name("starredAt")
            writer.time(starredAt)
        }
    }

    package var weight: Int { message.weight }
}
