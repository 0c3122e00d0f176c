import Foundation
import ReadModels

/// The people around a client whose profile has changed, in the order of the log, each once.
final class ChangedPeople {
    private static let pageSize = 500

    private let person: UUID
    private let end: PositionVector
    private let queries: Queries
    private var page: ArraySlice<PersonChange> = []
    private var isExhausted = false

    init(person: UUID, upTo end: PositionVector, queries: Queries) {
        self.person = person
        self.end = end
        self.queries = queries
    }

    /// The next change in a partition.
    ///
    /// - Parameter cursor: how far the client has come; all partitions before this one are done.
    func next(in partition: Int, since cursor: PositionVector) async throws -> PersonChange? {
        if page.isEmpty, !isExhausted {
            let found = try await queries.peopleChanged(
                since: cursor.positions,
                upTo: end.positions,
                sharingWith: person,
                limit: Self.pageSize
            )
            page = found[...]
            isExhausted = found.count < Self.pageSize
        }
        guard let first = page.first, first.partition == partition else { return nil }
        return first
    }

    func drop() {
        page = page.dropFirst()
    }
}
