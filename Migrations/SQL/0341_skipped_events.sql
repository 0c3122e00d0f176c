-- Events that an operator has told a read model to leave out for good. Owner: parley_owner; written by
-- `parley parked skip`, honoured by the projector and by every rebuild: so it is beside the read models, not in them.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.skipped_events (
    position bigint NOT NULL,
    skipped_at timestamptz NOT NULL DEFAULT now(),
    partition int NOT NULL,
    stream_id uuid NOT NULL,
    category text NOT NULL,
    projection text NOT NULL,
    -- What the read model could not do with the event.
    error text NOT NULL,
    -- The operator's words.
    reason text NOT NULL,
    -- The operator's account on the machine.
    skipped_by text NOT NULL,
    CONSTRAINT skipped_events_pkey PRIMARY KEY (partition, position, projection)
);

GRANT SELECT, INSERT ON parley.skipped_events TO parley_server;

RESET ROLE;
