-- schema: read model
-- Rows that many events change are found newest first. Owner: parley_owner; filled by the projections
-- `conversation-list` and `unread-counts`, and by the projector.
--
-- While anybody holds a snapshot, as a backup does, none of the old versions of a row can be vacuumed. By a key that
-- stays the same whoever looks for such a row passes all of them, more with each message. So the key of each of these
-- tables ends with what every change raises: the newest version is the last in the index, and is found at once.
SET LOCAL ROLE parley_owner;

ALTER TABLE conversations DROP CONSTRAINT conversations_pkey;
ALTER TABLE conversations ADD CONSTRAINT conversations_pkey PRIMARY KEY (conversation_id, last_position);
ALTER TABLE conversations RESET (fillfactor);

-- Reading raises read_seq, and sending own_after.
ALTER TABLE unread_counts DROP CONSTRAINT unread_counts_pkey;
ALTER TABLE unread_counts ADD CONSTRAINT unread_counts_pkey
    PRIMARY KEY (user_id, conversation_id, read_seq, own_after);
ALTER TABLE unread_counts RESET (fillfactor);

-- A checkpoint is taken out and put in anew: of two workers only one finds the row to take out.
ALTER TABLE checkpoints DROP CONSTRAINT checkpoints_pkey;
ALTER TABLE checkpoints ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (partition, position);
ALTER TABLE checkpoints RESET (fillfactor);
REVOKE UPDATE ON checkpoints FROM parley_server;
GRANT DELETE ON checkpoints TO parley_server;

RESET ROLE;
