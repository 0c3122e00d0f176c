-- schema: read model
-- Who has blocked whom. Owner: parley_owner; filled by the projection `blocks`.
SET LOCAL ROLE parley_owner;

CREATE TABLE blocks (
    -- The newest event of it: what streams have told, and what not.
    position bigint NOT NULL,
    -- Null where it was taken back: the row stays, so that devices that were away are told.
    blocked_at timestamptz,
    partition int NOT NULL,
    -- Of the two, whether it has begun or not.
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    blocked_id uuid NOT NULL,
    -- Begins with the person: all of a person's are read when a stream opens.
    CONSTRAINT blocks_pkey PRIMARY KEY (user_id, conversation_id, partition)
);

-- The list, the newest first.
CREATE INDEX blocks_list_idx ON blocks (user_id, blocked_at DESC, blocked_id) WHERE blocked_at IS NOT NULL;

-- No event of older programs makes such rows: a table that is there is complete.
INSERT INTO projections (name, version)
SELECT 'blocks', 1 WHERE EXISTS (SELECT FROM checkpoints c WHERE c.position > 0);

GRANT SELECT, INSERT, UPDATE, DELETE ON blocks TO parley_server;

RESET ROLE;
