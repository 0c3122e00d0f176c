-- schema: read model
-- Conversations and who is or was in them. Owner: parley_owner; filled by the projection `conversation-list`.
SET LOCAL ROLE parley_owner;

-- One row per conversation, whatever its size: a message updates this row and no row of any member.
CREATE TABLE conversations (
    head_seq bigint NOT NULL,
    -- The newest event of any stream of the conversation: a resuming client's changed conversations are found by it.
    last_position bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- The order of lists: the newest message, else the start.
    activity_at timestamptz NOT NULL,
    partition int NOT NULL,
    member_count int NOT NULL,
    conversation_id uuid NOT NULL,
    created_by uuid NOT NULL,
    kind text NOT NULL,
    -- Null in direct conversations.
    join_policy text,
    history_visibility text,
    group_name text,
    group_icon text,
    -- The name in small letters without accents, for the list's search.
    search_name text,
    CONSTRAINT conversations_pkey PRIMARY KEY (conversation_id)
) WITH (
    -- Updated by every message. No column that a message changes is indexed, so that the new version fits on the page.
    fillfactor = 50
);

-- One row per span of membership: who rejoins gets a new one.
CREATE TABLE memberships (
    from_position bigint NOT NULL,
    -- Null while the membership lasts.
    to_position bigint,
    -- The newest message at joining and at leaving: the member received from_seq + 1 up to to_seq.
    from_seq bigint NOT NULL,
    to_seq bigint,
    joined_at timestamptz NOT NULL,
    left_at timestamptz,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    CONSTRAINT memberships_pkey PRIMARY KEY (conversation_id, user_id, from_position)
);

-- Nobody is a member twice at once; also how the members of a conversation are read.
CREATE UNIQUE INDEX memberships_current_key ON memberships (conversation_id, user_id) WHERE to_position IS NULL;
-- A person's list, and the conversations that a person's stream follows.
CREATE INDEX memberships_user_idx ON memberships (user_id, conversation_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON conversations, memberships TO parley_server;

RESET ROLE;
