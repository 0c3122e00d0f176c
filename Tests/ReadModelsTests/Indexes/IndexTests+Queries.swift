import Foundation
import ParleyWire
import Postgres
import Testing

@testable import ReadModels

/// What readers ask, and the indexes that each may use.
extension IndexTests {
    private var range: [MessageRange] {
        [MessageRange(conversation: room, first: 40, last: 90, floor: 0)]
    }

    private var leftRange: [MessageRange] {
        [MessageRange(conversation: room, first: 40, last: 90, floor: 0, until: 300)]
    }

    private var access: HistoryAccess { history(of: room, after: 0, upTo: 100) }

    private func history(of conversation: UUID, after floor: Int64, upTo ceiling: Int64) -> HistoryAccess {
        HistoryAccess(
            conversation: conversation,
            floor: floor,
            ceiling: ceiling,
            until: .max,
            start: HistoryKey(floor),
            end: HistoryKey(ceiling, .max)
        )
    }

    private var searched: SearchAccess {
        SearchAccess([access, history(of: Self.group(12), after: 10, upTo: 50)])
    }

    /// Both find what a person has hidden by three of its columns or all: which one seems cheaper hangs on the sample that
    /// the statistics were taken from.
    private var hiding: [String] { ["hidden_messages_pkey", "hidden_messages_message_idx"] }

    private func plan(_ reach: HistoryPlan.Reach, at split: HistoryKey) -> HistoryPlan {
        HistoryPlan(access: access, split: split, reach: reach, limit: 50)
    }

    struct Query {
        let name: String
        let statement: SQL
        /// All that may be used.
        let indexes: Set<String>

        init(_ name: String, _ statement: SQL, _ indexes: [String]) {
            self.name = name
            self.statement = statement
            self.indexes = Set(indexes)
        }
    }

    func queries() throws -> [Query] {
        let key: SQL = "SELECT \(ada)::uuid AS user_id, \(room)::uuid AS conversation_id, 1 AS n"
        let list = ConversationListQuery(
            caller: ada,
            filter: .unread,
            text: "grace",
            cursor: nil,
            limit: 50,
            budget: .max
        )
        let mentioning = ConversationListQuery(
            caller: ada,
            filter: .mentions,
            text: nil,
            cursor: nil,
            limit: 50,
            budget: .max
        )
        let span = UserQuery.Span(partition: 0, since: 10, last: 20)
        let spelt = try #require(
            Queries.statement(spelledLike: DirectoryName("Grcae"), where: "u.sort_name <> ''")
        )
        return [
            Query(
                "conversations",
                ConversationQuery.statement(for: key),
                [
                    "conversations_pkey", "drafts_pkey", "memberships_pkey", "memberships_current_key", "mentions_pkey",
                    "mentions_of_all_pkey", "messages_pkey", "message_versions_pkey", "deleted_messages_pkey",
                    "unread_counts_pkey", "watermarks_pkey", "system_messages_changes_idx",
                ]
            ),
            Query(
                "groups as they were left",
                GroupAsLeft.statement(for: [GroupAsLeft.End(place: 0, conversation: room, position: 300)]),
                ["conversations_pkey", "system_messages_changes_idx"]
            ),
            Query(
                "list",
                try list.keys(),
                [
                    "memberships_user_idx", "memberships_pkey", "conversations_pkey", "unread_counts_pkey",
                    "users_pkey",
                    "deleted_messages_pkey",
                ]
            ),
            Query(
                "list of mentions",
                try mentioning.keys(),
                [
                    "memberships_user_idx", "memberships_pkey", "memberships_current_key", "conversations_pkey",
                    "unread_counts_pkey", "mentions_pkey", "mentions_of_all_pkey", "deleted_messages_pkey",
                ]
            ),
            Query(
                "reactions",
                ReactionTally.statement(for: [(room, 40, .max), (room, 50, 7)], ada),
                ["reactions_pkey"]
            ),
            Query(
                "history",
                MessageReader.statement(for: range, of: ada, hides: true, within: 1 << 20),
                ["messages_pkey", "message_versions_pkey", "reactions_pkey"] + hiding
            ),
            Query(
                "one message",
                MessageReader.statement(for: [access.range(of: 40)], of: ada, hides: true, within: 1 << 20),
                ["messages_pkey", "message_versions_pkey"] + hiding
            ),
            Query(
                "what may be read",
                HistoryAccess.statement(for: ada, in: nil),
                ["conversations_pkey", "memberships_user_idx", "memberships_pkey", "system_messages_changes_idx"]
            ),
            Query(
                "what may be read of one conversation",
                HistoryAccess.statement(for: ada, in: [room]),
                ["conversations_pkey", "memberships_user_idx", "memberships_pkey", "system_messages_changes_idx"]
            ),
            Query(
                "search",
                SearchBlock.statement(
                    for: (
                        after: SearchPlace(firstAt: Date(), chunk: SearchChunk(conversation: room, number: 3)),
                        upTo: SearchPlace(firstAt: .distantPast, chunk: SearchChunk(conversation: room, number: 0))
                    ),
                    .near,
                    .index,
                    SearchMatcher(
                        request: SearchRequest(text: "rare7", sender: ada, after: .distantPast, before: Date()),
                        caller: ada,
                        terms: SearchTerm.terms(of: "rare7", in: .simple)
                    ),
                    searched
                ),
                ["search_chunks_words_idx", "search_chunks_unread_idx", "search_chunks_pkey"]
            ),
            Query(
                "search from the newest on",
                SearchBlock.statement(
                    for: (
                        after: SearchPlace(firstAt: Date(), chunk: SearchChunk(conversation: room, number: 3)),
                        upTo: SearchPlace(firstAt: .distantPast, chunk: SearchChunk(conversation: room, number: 0))
                    ),
                    .near,
                    .newestFirst,
                    SearchMatcher(
                        request: SearchRequest(text: "rare7", sender: ada, after: .distantPast, before: Date()),
                        caller: ada,
                        terms: SearchTerm.terms(of: "rare7", in: .simple)
                    ),
                    searched
                ),
                ["search_chunks_unread_idx", "search_chunks_pkey"]
            ),
            Query("the newest chunks", SearchVocabulary.newestChunks(of: searched), ["search_chunks_pkey"]),
            Query(
                "searched messages",
                SearchedMessage.statement(for: [range], seenBy: ada),
                ["messages_pkey", "message_versions_pkey"] + hiding
            ),
            Query("chunks to index", SearchIndexer.due(atMost: 16), ["search_chunks_due_idx"]),
            Query(
                "system messages",
                SystemMessageQuery.statement(
                    for: [plan(.older, at: .end), plan(.around, at: HistoryKey(50))],
                    atMost: 100
                ),
                ["system_messages_pkey"]
            ),
            Query(
                "one system message",
                SystemMessageQuery.statement(for: [ada], in: room),
                ["system_messages_id_key"]
            ),
            Query(
                "pins",
                Queries.pins(in: access, for: ada, before: .max, limit: 51),
                ["messages_pinned_idx"] + hiding
            ),
            Query(
                "members without a message",
                Queries.membersWithout(40, in: room),
                ["conversations_pkey", "memberships_current_key", "memberships_pkey", "hidden_messages_message_idx"]
            ),
            Query("leavers", Queries.leavers(of: room, after: 300), ["memberships_ended_idx"]),
            Query("tally", ReceiptTally.statement(for: range, without: ada), ["watermarks_pkey", "users_pkey"]),
            Query(
                "times",
                ReceiptTimes.statement(for: range, without: ada),
                ["receipt_ranges_pkey", "watermarks_pkey", "users_pkey"]
            ),
            Query(
                "tally as left",
                ReceiptTally.statement(for: leftRange, without: ada),
                ["watermarks_pkey", "users_pkey", "receipt_ranges_pkey", "memberships_ended_idx"]
            ),
            Query(
                "times as left",
                ReceiptTimes.statement(for: leftRange, without: ada),
                ["receipt_ranges_pkey", "watermarks_pkey", "users_pkey", "memberships_ended_idx"]
            ),
            Query(
                "unread",
                UnreadQuery.statement(for: [UnreadKey(user: ada, conversation: room)]),
                [
                    "conversations_pkey", "memberships_uncounted_idx", "mentions_pkey", "mentions_of_all_pkey",
                    "messages_pkey", "unread_counts_pkey", "deleted_messages_pkey",
                ]
            ),
            Query(
                "opening",
                StreamOpening.statement(for: ada),
                ["conversations_pkey", "memberships_user_idx"]
            ),
            Query("blocks", StreamOpening.blocks(of: ada), ["blocks_pkey"]),
            Query(
                "list of blocks",
                Queries.blocks(of: ada, where: "b.blocked_at <= now()", limit: 50),
                ["blocks_list_idx", "users_pkey"]
            ),
            Query(
                "stars",
                Queries.stars(of: ada, where: "s.starred_at <= now()", limit: 50),
                ["stars_list_idx", "messages_pkey"] + hiding
            ),
            Query(
                "scheduled",
                ScheduledMessages.due(at: Date(timeIntervalSince1970: 1_000_000), limit: 50),
                ["scheduled_messages_due_idx"]
            ),
            Query(
                "expiring",
                ExpiringMessages.due(at: Date(timeIntervalSince1970: 1_000_000), after: nil, limit: 500),
                ["messages_expiry_idx"]
            ),
            Query("next expiring", ExpiringMessages.next, ["messages_expiry_idx"]),
            Query("next scheduled", ScheduledMessages.next, ["scheduled_messages_due_idx"]),
            Query("spelling", spelt, ["users_spelling_idx"]),
            Query(
                "changed people",
                UserQuery.changes([span], caller: ada, limit: 100),
                [
                    "users_changed_idx", "memberships_user_idx", "memberships_current_key",
                    "memberships_pkey",
                ]
            ),
            Query("names of a new group", Queries.namesakes(among: [ada, Self.person(8)]), ["users_pkey"]),
            Query(
                "names of a group",
                Queries.namesakes(of: ada, in: room),
                ["users_pkey", "users_name_look_idx", "users_name_letters_idx", "memberships_current_key"]
            ),
            Query(
                "names of all groups",
                Queries.namesakes(of: ada, called: "Person 7"),
                [
                    "users_name_look_idx", "users_name_letters_idx", "memberships_user_idx", "memberships_current_key",
                    "memberships_pkey", "conversations_pkey",
                ]
            ),
            Query(
                "words",
                "SELECT FROM read_live.users u WHERE u.words @@ \("'7':*")::text::tsquery",
                ["users_words_idx"]
            ),
            Query(
                "directory",
                """
                SELECT FROM read_live.users u
                WHERE u.sort_name IS NOT NULL AND (u.sort_name, u.user_id) > (\("person 7"), \(ada))
                ORDER BY u.sort_name, u.user_id LIMIT 50
                """,
                ["users_directory_idx"]
            ),
        ]
    }
}
