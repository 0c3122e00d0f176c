-- Partitions of the read models that stand still, and why. Owner: parley_owner; written by projectors, read by operators.
--
-- Beside the read models, not in them: a rebuild must not hide what holds a partition up. A row holds for as long as the
-- checkpoint stands right before its position, so nobody has to take it out again.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.projection_faults (
    -- The first event that the read models do not hold.
    position bigint NOT NULL,
    since timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    partition int NOT NULL,
    attempts int NOT NULL,
    -- Whether the event is of a newer program, which is no error.
    is_newer boolean NOT NULL,
    -- A SQLSTATE, the kind of an error, or the type of an event; nothing of its content.
    reason text NOT NULL,
    CONSTRAINT projection_faults_pkey PRIMARY KEY (partition)
);

GRANT SELECT, INSERT, UPDATE ON parley.projection_faults TO parley_server;

RESET ROLE;
