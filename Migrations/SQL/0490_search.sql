-- schema: read model
-- Where words occur in messages. Owner: parley_owner; rows come and go with the projection `search`, their words are filled in
-- by the indexer (decision 0061).
--
-- A row stands for 32 messages of a conversation that follow each other: a tenth of the index entries that a row for each
-- message would take, and messages stay what they are, for whoever reads a history.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

CREATE TABLE search_chunks (
    -- 0 for the messages 1 to 32.
    chunk bigint NOT NULL,
    -- When its first message was sent: the order in which results are looked for, which never changes.
    first_at timestamptz NOT NULL,
    -- When its last message was sent; null while it has not got all of them.
    last_at timestamptz,
    partition int NOT NULL,
    conversation_id uuid NOT NULL,
    -- The words that its messages have now, each with the places of those messages in it, 1 to 32. Null while nobody has
    -- looked, and again as soon as one of the messages changes: then they are read themselves.
    words tsvector,
    -- The PostgreSQL dictionary that the words are of. With it, but without words, a chunk has more of them than a tsvector
    -- takes, and is always read itself.
    dictionary text,
    CONSTRAINT search_chunks_pkey PRIMARY KEY (conversation_id, chunk, partition)
) WITH (
    -- The words come later, to a row of the same page.
    fillfactor = 90
);

-- In which of them words occur. With fastupdate, for the indexer's sake: a list of 256 kB is read in a millisecond.
CREATE INDEX search_chunks_words_idx ON search_chunks USING gin (words)
    WITH (fastupdate = on, gin_pending_list_limit = 256);
-- What is read itself.
CREATE INDEX search_chunks_unread_idx ON search_chunks (conversation_id, first_at) WHERE words IS NULL;
-- What the indexer has to do.
CREATE INDEX search_chunks_due_idx ON search_chunks (last_at)
    WHERE words IS NULL AND last_at IS NOT NULL AND dictionary IS NULL;

-- Of messages from before this file.
INSERT INTO search_chunks (conversation_id, chunk, partition, first_at, last_at)
SELECT m.conversation_id, (m.seq - 1) / 32, m.partition, min(m.sent_at), max(m.sent_at) FILTER (WHERE m.seq % 32 = 0)
FROM messages m
GROUP BY 1, 2, 3;

INSERT INTO projections (name, version)
SELECT 'search', 1 WHERE EXISTS (SELECT FROM checkpoints c WHERE c.position > 0);

GRANT SELECT, INSERT, UPDATE, DELETE ON search_chunks TO parley_server;

RESET ROLE;
