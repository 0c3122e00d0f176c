-- schema: read model
-- Messages that mention everyone in their conversation. Owner: parley_owner; filled by the projections `messages` and
-- `unread-counts`.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- No event of older programs says so: rows that are there are complete, and so is the table.
ALTER TABLE messages ADD COLUMN mentions_all boolean NOT NULL DEFAULT false;

-- One row per message, whatever the number of members; it has none in `mentions`, so that nobody is counted twice.
CREATE TABLE mentions_of_all (
    seq bigint NOT NULL,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    -- Whom it does not count for.
    sender_id uuid NOT NULL,
    CONSTRAINT mentions_of_all_pkey PRIMARY KEY (conversation_id, seq, partition)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON mentions_of_all TO parley_server;

RESET ROLE;
