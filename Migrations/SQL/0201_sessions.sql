-- Sessions: devices signed in, each with its chain of refresh tokens; and the keys that sign access tokens.
-- Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- The row is the one lock for refreshing, reuse of an old token and revoking. Of the chain it needs two hashes: an older
-- token proves by its seal that it is genuine, and ends the session.
CREATE TABLE parley.sessions (
    session_id uuid NOT NULL,
    account_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    refreshed_at timestamptz NOT NULL,
    refresh_expires_at timestamptz NOT NULL,
    -- By the database's clock. Before rows are deleted, sessions are revoked and their access tokens' time passes: the
    -- servers learn from this column alone which tokens to refuse.
    revoked_at timestamptz,
    -- SHA-256 of the newest refresh token, and of the one before it.
    refresh_hash bytea NOT NULL,
    previous_refresh_hash bytea,
    device_name text,
    CONSTRAINT sessions_pkey PRIMARY KEY (session_id),
    CONSTRAINT sessions_account_fkey FOREIGN KEY (account_id) REFERENCES parley.accounts (account_id),
    CONSTRAINT sessions_device_name_length CHECK (char_length(device_name) BETWEEN 1 AND 100),
    CONSTRAINT sessions_refresh_hash_length CHECK (octet_length(refresh_hash) = 32)
);

-- A person's devices, to list them and to end them all.
CREATE INDEX sessions_account_idx ON parley.sessions (account_id);
-- What every server asks twice a second. Refreshing changes no indexed column, so that its updates stay in their page.
CREATE INDEX sessions_revoked_idx ON parley.sessions (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE parley.signing_keys (
    -- The kid of the tokens: a fingerprint of the public key.
    key_id text NOT NULL,
    -- The private key, AES-256-GCM under a key derived from the master key.
    wrapped_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- From then on it verifies only.
    retired_at timestamptz,
    CONSTRAINT signing_keys_pkey PRIMARY KEY (key_id)
);

-- One key signs. Also settles which of several servers makes it, when they start at once.
CREATE UNIQUE INDEX signing_keys_one_signs ON parley.signing_keys ((true)) WHERE retired_at IS NULL;

GRANT SELECT, INSERT, DELETE ON parley.sessions TO parley_server;
GRANT UPDATE (last_seen_at, refreshed_at, refresh_expires_at, revoked_at, refresh_hash, previous_refresh_hash)
    ON parley.sessions TO parley_server;
GRANT SELECT, INSERT ON parley.signing_keys TO parley_server;

RESET ROLE;
