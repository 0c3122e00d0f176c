-- schema: read model
-- What members have not read, in O(1) rows per message. Owner: parley_owner; filled by the projection `unread-counts`.
SET LOCAL ROLE parley_owner;

-- One row per current member: unread = head_seq of the conversation - read_seq - own_after.
CREATE TABLE unread_counts (
    read_seq bigint NOT NULL,
    -- The member's own messages after read_seq, which the member need not read.
    own_after bigint NOT NULL,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- The person first: a person's total is read by it, too.
    CONSTRAINT unread_counts_pkey PRIMARY KEY (user_id, conversation_id),
    CONSTRAINT unread_counts_own_after_positive CHECK (own_after >= 0)
) WITH (
    -- Updated in place by reading and by sending.
    fillfactor = 80
);

-- One row per person that a message mentions, the sender left out.
CREATE TABLE mentions (
    seq bigint NOT NULL,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    CONSTRAINT mentions_pkey PRIMARY KEY (conversation_id, user_id, seq)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON unread_counts, mentions TO parley_server;

RESET ROLE;
