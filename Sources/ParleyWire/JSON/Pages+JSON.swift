extension ListPage: JSONWritable where Item: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.array(items)
            writer.name("nextCursor")
            writer.optional(nextCursor) { $0.string($1) }
            if let users { writer.users(users) }
        }
    }

    package var weight: Int { items.reduce(users?.weight ?? 0) { $0 + $1.weight } }
}

extension MessagesAnswer: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.array(items)
        }
    }

    package var weight: Int { items.reduce(0) { $0 + $1.weight } }
}

extension HistoryPage: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.array(items)
            writer.name("page")
            writer.value(page)
            if let users { writer.users(users) }
        }
    }

    package var weight: Int { items.reduce(users?.weight ?? 0) { $0 + $1.weight } }
}

extension PageInfo: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("olderCursor")
            writer.optional(olderCursor) { $0.string($1) }
            writer.name("newerCursor")
            writer.optional(newerCursor) { $0.string($1) }
            writer.name("hasOlder")
            writer.bool(hasOlder)
            writer.name("hasNewer")
            writer.bool(hasNewer)
        }
    }
}
