-- Messages that are to be sent later. Owner: parley_owner.
--
-- Beside the log, which keeps everything for ever: what is withdrawn was never said. A row goes when its message is sent.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.scheduled_messages (
    send_at timestamptz NOT NULL,
    -- The next try: send_at at first.
    due_at timestamptz NOT NULL,
    -- While somebody sends, changes or withdraws it, others leave it alone until then.
    claimed_until timestamptz,
    -- When sending was refused for good; such a row waits for nothing but its author.
    failed_at timestamptz,
    created_at timestamptz NOT NULL,
    -- Tries to send it, the present one included: without any, the log cannot have it.
    attempts int NOT NULL DEFAULT 0,
    author_id uuid NOT NULL,
    message_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    -- The author's key, under which text, mentions and what is answered are sealed.
    key_id uuid NOT NULL,
    -- Who claims it: whoever comes back after the claim has ended changes nothing any more.
    claim uuid,
    -- The problem's code.
    failure text,
    sealed bytea NOT NULL,
    CONSTRAINT scheduled_messages_pkey PRIMARY KEY (author_id, message_id),
    CONSTRAINT scheduled_messages_claim_ends CHECK ((claim IS NULL) = (claimed_until IS NULL)),
    CONSTRAINT scheduled_messages_failure_has_time CHECK ((failure IS NULL) = (failed_at IS NULL))
);

-- What is due, and when the next will be.
CREATE INDEX scheduled_messages_due_idx ON parley.scheduled_messages (due_at) WHERE failed_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.scheduled_messages TO parley_server;

RESET ROLE;
