extension ReceiptMark: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("userId")
            writer.id(userId)
            writer.name("deliveredSeq")
            writer.number(deliveredSeq)
            writer.name("readSeq")
            writer.number(readSeq)
            writer.name("at")
            writer.time(at)
        }
    }
}

extension ReceiptsAnswer: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.array(items)
        }
    }
}

extension ReceiptsAnswer.Item: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("conversationId")
            writer.id(conversationId)
            if let deliveredSeq {
                writer.name("deliveredSeq")
                writer.number(deliveredSeq)
            }
            if let readSeq {
                writer.name("readSeq")
                writer.number(readSeq)
            }
            if let unreadCount {
                writer.name("unreadCount")
                writer.number(unreadCount)
            }
            if let code {
                writer.name("code")
                writer.string(code)
            }
        }
    }
}
