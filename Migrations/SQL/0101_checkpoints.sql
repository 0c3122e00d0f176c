-- schema: read model
-- How far the read models have come in the log, and what they could not take. Owner: parley_owner; written by the
-- projector in the transaction of the rows that it stands for.
SET LOCAL ROLE parley_owner;

-- One row per partition, for all read models together, so that lists, marks and counts always agree.
CREATE TABLE checkpoints (
    position bigint NOT NULL,
    partition int NOT NULL,
    CONSTRAINT checkpoints_pkey PRIMARY KEY (partition),
    -- The projector writes -1 where the position is not the one that it read: another worker was faster.
    CONSTRAINT checkpoints_not_overtaken CHECK (position >= 0)
) WITH (
    -- Updated by every batch: room for new versions on the same page, and vacuumed early.
    fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000
);

-- Streams that a read model has stopped following, because one of their events cannot be decoded or applied.
CREATE TABLE parked (
    -- The event that could not be taken, and the newest that was left out because of it.
    position bigint NOT NULL,
    last_position bigint NOT NULL,
    events bigint NOT NULL,
    partition int NOT NULL,
    attempts int NOT NULL,
    stream_id uuid NOT NULL,
    category text NOT NULL,
    projection text NOT NULL,
    -- A SQLSTATE or the name of an event's type; nothing of its content.
    error text NOT NULL,
    CONSTRAINT parked_pkey PRIMARY KEY (partition, stream_id, category, projection)
);

GRANT SELECT, INSERT, UPDATE ON checkpoints TO parley_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON parked TO parley_server;

RESET ROLE;
