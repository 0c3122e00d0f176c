import Attachments
import Edge
import Foundation
import ParleyWire

/// Makes images of the caller's the pictures of people and groups.
struct Pictures: Sendable {
    let attachments: Attachments

    /// The path that is told of a picture, once it belongs to its subject.
    ///
    /// - Throws: a problem where there is no such image of the caller's that is in no message.
    func claim(
        _ file: UUID,
        by caller: UUID,
        for subject: UUID,
        isGroup: Bool,
        at pointer: String
    ) async throws -> String {
        guard try await attachments.claimPicture(file, of: caller, for: subject, isGroup: isGroup) else {
            throw HTTPProblem.invalid(
                pointer: pointer,
                .unknown,
                "You have no such image that is complete and in no message."
            )
        }
        return AttachmentLinks.path(of: file)
    }

    /// The change was made: what is not the picture any more goes. What is only claimed stays, since others may be about to
    /// tell of it.
    ///
    /// - Parameters:
    ///   - candidates: what was the picture before, and what it was made.
    ///   - present: asked now, since another change may have come after this one.
    func changed(_ subject: UUID, candidates: [UUID?], present: () async throws -> UUID?) async {
        do {
            let current = try await present()
            let gone = candidates.compactMap(\.self).filter { $0 != current }
            try await attachments.releasePictures(gone, of: subject, present: current)
        } catch {
            // The collector sees to it.
        }
    }
}

extension Fields {
    /// A picture: an attachment by its id, or by its URL.
    mutating func picture(_ name: String) -> UUID? {
        guard let text = text(name, 0...4_096) else { return nil }
        if text.utf8.count <= 36, let id = WireID(text) { return id.uuid }
        if let file = AttachmentLinks.file(at: text), text.hasPrefix("/") { return file }
        fail(name, .invalid, "An attachment of your own is expected, by its id or its URL.")
        return nil
    }
}
