-- schema: read model
-- How far members have received and read, and when. Owner: parley_owner; filled by the projection `receipts`.
SET LOCAL ROLE parley_owner;

-- One row per span of membership: rejoining sets the marks to the head anew, and the former span keeps its own.
CREATE TABLE watermarks (
    from_position bigint NOT NULL,
    -- The span received from_seq + 1 up to to_seq; null while the membership lasts.
    from_seq bigint NOT NULL,
    to_seq bigint,
    delivered_seq bigint NOT NULL,
    read_seq bigint NOT NULL,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    CONSTRAINT watermarks_pkey PRIMARY KEY (conversation_id, user_id, from_position)
) WITH (
    -- Updated in place by every receipt.
    fillfactor = 80
);

-- One row per advance of a mark: the messages after from_seq up to to_seq were delivered (kind 1) or read (kind 2)
-- then.
CREATE TABLE receipt_ranges (
    from_seq bigint NOT NULL,
    to_seq bigint NOT NULL,
    at timestamptz NOT NULL,
    conversation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind smallint NOT NULL,
    -- Ranges of one mark never overlap, so the one that holds a message is the last that begins before it.
    CONSTRAINT receipt_ranges_pkey PRIMARY KEY (conversation_id, user_id, kind, from_seq),
    CONSTRAINT receipt_ranges_forward CHECK (to_seq > from_seq)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON watermarks, receipt_ranges TO parley_server;

RESET ROLE;
