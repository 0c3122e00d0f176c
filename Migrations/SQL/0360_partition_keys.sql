-- schema: read model
-- Every key of the read models carries the partition. Owner: parley_owner; filled by all projections.
--
-- A PostgreSQL of several machines (Citus) distributes tables by one column, which then stands in all of their unique
-- keys: for the log and the read models alike, the partition of the conversation or person that a row belongs to.
--
-- In each key it comes last. It follows from the ids before it, so there it changes neither the order of a key nor what
-- the key forbids (`verify` checks that it follows). Further in front it would: a query that names the id alone would
-- not find a history in order, nor the newest version of a row that many events change (0320).
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- The default of the new columns: an older server, at work until an upgrade reaches it, leaves them out. A missing value
-- would count as the fault of an event, and park its stream; a missing column makes such a projector wait for its end.
CREATE FUNCTION no_partition() RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'the row names no partition: the program is older than the database'
        USING ERRCODE = 'undefined_column';
END
$$;

-- Without their keys the tables are filled at a fraction of the cost.
ALTER TABLE messages DROP CONSTRAINT messages_pkey, DROP CONSTRAINT messages_id_key, ADD COLUMN partition int;
ALTER TABLE memberships DROP CONSTRAINT memberships_pkey, ADD COLUMN partition int;
DROP INDEX memberships_current_key;
ALTER TABLE unread_counts DROP CONSTRAINT unread_counts_pkey, ADD COLUMN partition int;
ALTER TABLE mentions DROP CONSTRAINT mentions_pkey, ADD COLUMN partition int;
ALTER TABLE watermarks DROP CONSTRAINT watermarks_pkey, ADD COLUMN partition int;
ALTER TABLE receipt_ranges DROP CONSTRAINT receipt_ranges_pkey, ADD COLUMN partition int;

DO $$
DECLARE
    filled text;
BEGIN
    FOREACH filled IN ARRAY ARRAY[
        'messages', 'memberships', 'unread_counts', 'mentions', 'watermarks', 'receipt_ranges'
    ] LOOP
        EXECUTE format(
            'UPDATE %I t SET partition = c.partition FROM conversations c WHERE c.conversation_id = t.conversation_id',
            filled
        );
        -- Where the list of conversations does not have it: it has parked the conversation.
        EXECUTE format(
            'UPDATE %I t SET partition = ('
            'SELECT e.partition FROM parley.events e WHERE e.stream_id = t.conversation_id LIMIT 1) '
            'WHERE t.partition IS NULL',
            filled
        );
        EXECUTE format(
            'ALTER TABLE %I ALTER COLUMN partition SET NOT NULL, ALTER COLUMN partition SET DEFAULT no_partition()',
            filled
        );
    END LOOP;
END
$$;

ALTER TABLE messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (conversation_id, seq, partition),
    ADD CONSTRAINT messages_id_key UNIQUE (message_id, conversation_id, partition);
ALTER TABLE memberships ADD CONSTRAINT memberships_pkey
    PRIMARY KEY (conversation_id, user_id, from_position, partition);
CREATE UNIQUE INDEX memberships_current_key ON memberships (conversation_id, user_id, partition)
    WHERE to_position IS NULL;
ALTER TABLE unread_counts ADD CONSTRAINT unread_counts_pkey
    PRIMARY KEY (user_id, conversation_id, read_seq, own_after, partition);
ALTER TABLE mentions ADD CONSTRAINT mentions_pkey PRIMARY KEY (conversation_id, user_id, seq, partition);
ALTER TABLE watermarks ADD CONSTRAINT watermarks_pkey
    PRIMARY KEY (conversation_id, user_id, from_position, partition);
ALTER TABLE receipt_ranges ADD CONSTRAINT receipt_ranges_pkey
    PRIMARY KEY (conversation_id, user_id, kind, from_seq, partition);

-- These have the column; checkpoints and parked, which are read by it, begin with it.
ALTER TABLE conversations
    DROP CONSTRAINT conversations_pkey,
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (conversation_id, last_position, partition);
ALTER TABLE users
    DROP CONSTRAINT users_pkey,
    ADD CONSTRAINT users_pkey PRIMARY KEY (user_id, partition);

RESET ROLE;
