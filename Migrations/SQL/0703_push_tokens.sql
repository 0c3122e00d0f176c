-- What tells a push service who we are, where it counts how often that changes: one for all processes. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.push_tokens (
    -- As the token itself says, in whole seconds. Whoever makes the next one names it: of several who do so at once, one is first.
    issued_at timestamptz NOT NULL,
    -- Made of the credentials: other ones have another row.
    token_id uuid NOT NULL,
    -- The operators' key, under which the token is sealed.
    key_id uuid NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT push_tokens_pkey PRIMARY KEY (token_id)
);

GRANT SELECT, INSERT, UPDATE ON parley.push_tokens TO parley_server;

RESET ROLE;
