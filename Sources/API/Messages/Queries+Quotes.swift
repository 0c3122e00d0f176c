import Foundation
import ParleyWire
import ReadModels

extension Queries {
    /// Quotes from the log as one person sees them: without what that person has deleted for oneself.
    func quotes(
        _ quotes: [UUID: ReplyTo],
        in conversation: UUID,
        shownTo person: UUID
    ) async throws -> [UUID: ReplyTo] {
        guard !quotes.isEmpty else { return [:] }
        let shown = try await messages(quotes.values.map(\.seq), in: conversation, for: person)
        return quotes.mapValues { quote in
            var quote = quote
            if shown[quote.seq]?.deletedAt != nil { (quote.text, quote.attachments) = (nil, nil) }
            return quote
        }
    }
}
