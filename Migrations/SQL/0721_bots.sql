-- Bots: accounts that operators make, without a password. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.bots (
    created_at timestamptz NOT NULL,
    bot_id uuid NOT NULL,
    -- As the audit names operators.
    created_by text NOT NULL,
    CONSTRAINT bots_pkey PRIMARY KEY (bot_id),
    CONSTRAINT bots_account_fkey FOREIGN KEY (bot_id) REFERENCES parley.accounts (account_id) ON DELETE CASCADE
);

-- What makes a session a bot's token: the session ends as all do, and its streams with it.
CREATE TABLE parley.bot_tokens (
    session_id uuid NOT NULL,
    -- SHA-256 of the token's secret.
    token_hash bytea NOT NULL,
    -- read, write.
    scopes text[] NOT NULL,
    CONSTRAINT bot_tokens_pkey PRIMARY KEY (session_id),
    CONSTRAINT bot_tokens_session_fkey FOREIGN KEY (session_id) REFERENCES parley.sessions (session_id) ON DELETE CASCADE,
    CONSTRAINT bot_tokens_hash_length CHECK (octet_length(token_hash) = 32)
);

GRANT SELECT, INSERT ON parley.bots, parley.bot_tokens TO parley_server;

RESET ROLE;
