-- Webhooks: servers that are told what happens, how far they were told, and what became of it. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.webhooks (
    created_at timestamptz NOT NULL,
    disabled_at timestamptz,
    webhook_id uuid NOT NULL,
    -- The operators' key, under which the URL and the secrets are sealed.
    key_id uuid NOT NULL,
    created_by text NOT NULL,
    -- operator, failing or gone.
    disabled_reason text,
    -- The names of events; none for all that there are.
    events text[] NOT NULL,
    -- NULL for all.
    conversations uuid[],
    sealed bytea NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (webhook_id),
    CONSTRAINT webhooks_disabled_for_a_reason CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);

-- How far a webhook was told of a conversation: the events themselves are in the log. So what waits is bounded by the number of
-- conversations, however long a server is away, and a conversation is told in order, since one row is one sender.
CREATE TABLE parley.webhook_places (
    -- When it is next looked at: the end of a claim, while somebody works on it; NULL where all is told.
    due_at timestamptz,
    -- Since when its next event is refused.
    failing_since timestamptz,
    -- The next version of the conversation's stream that is to be told, and the newest.
    next_version bigint NOT NULL,
    head_version bigint NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    webhook_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    -- Who works on it: whoever comes back after the claim has ended changes nothing any more.
    claim uuid,
    CONSTRAINT webhook_places_pkey PRIMARY KEY (webhook_id, conversation_id),
    CONSTRAINT webhook_places_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES parley.webhooks ON DELETE CASCADE
) WITH (
    -- Written several times for each event.
    fillfactor = 70
);

-- What is due, webhook by webhook: one that hangs must not be in the way of the others.
CREATE INDEX webhook_places_due_idx ON parley.webhook_places (webhook_id, due_at) WHERE due_at IS NOT NULL;

-- Each try, kept for 30 days: never what was sent or answered.
CREATE TABLE parley.webhook_deliveries (
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    position bigint NOT NULL,
    webhook_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    partition int NOT NULL,
    attempt int NOT NULL,
    milliseconds int NOT NULL,
    -- The HTTP status; NULL where there was no answer, and a reason instead.
    status int,
    reason text,
    message_id text NOT NULL,
    event text NOT NULL,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (webhook_id, number, partition),
    CONSTRAINT webhook_deliveries_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES parley.webhooks ON DELETE CASCADE
);

CREATE INDEX webhook_deliveries_at_idx ON parley.webhook_deliveries (at);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.webhooks, parley.webhook_places, parley.webhook_deliveries TO parley_server;

RESET ROLE;
